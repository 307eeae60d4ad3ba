----------------------- MODULE action_conjunct_order -----------------------
\* Guards after assignments.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == (x' = x + 1 /\ y' = y /\ x < 3) \/ (x = 3 /\ y' = 1 - y /\ x' = 0)
=============================================================================
