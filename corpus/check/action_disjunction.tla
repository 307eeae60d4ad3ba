------------------------- MODULE action_disjunction -------------------------
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == x < 2 /\ x' = x + 1 /\ UNCHANGED y
Down == x > 0 /\ x' = x - 1 /\ y' = 1 - y
Next == Up \/ Down
=============================================================================
