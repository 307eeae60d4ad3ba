------------------------- MODULE constant_operator -------------------------
EXTENDS Naturals
CONSTANT Op(_, _)
VARIABLE x
Add(a, b) == (a + b) % 4
Init == x = 0
Next == \E d \in {1, 2} : x' = Op(x, d)
=============================================================================
