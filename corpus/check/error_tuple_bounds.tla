------------------------- MODULE error_tuple_bounds -------------------------
EXTENDS Naturals, Sequences
VARIABLES i, t
Init == i = 1 /\ t = <<"a", "b">>
Next == i' = i + 1 /\ t' = <<t[i]>> \o Tail(t)
=============================================================================
