------------------------ MODULE action_equality_test ------------------------
\* The second equation about the same primed variable is a test.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == (x' = (x + 1) % 4 /\ x' = 1) \/ (x' \in 0..2 /\ x' = x)
=============================================================================
