-------------------------- MODULE invariant_error --------------------------
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<1>>
Next == q' = IF q = <<>> THEN <<1>> ELSE Tail(q)
Inv == Head(q) = 1
=============================================================================
