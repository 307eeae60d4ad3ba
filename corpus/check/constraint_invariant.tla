------------------------ MODULE constraint_invariant ------------------------
\* The invariant is checked in states that violate the constraint.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Small == x < 3
Inv == x <= 2
=============================================================================
