---- MODULE view_not_outside_constraint ----
\* The view has no value outside the constraint, and nobody asks for it.
EXTENDS Naturals, Sequences
VARIABLE s
Init == s = <<1, 2>>
Next == IF s = <<>> THEN s' = <<1>> ELSE s' = Tail(s)
V == Head(s)
Con == s # <<>>
====
