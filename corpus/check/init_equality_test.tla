------------------------- MODULE init_equality_test -------------------------
EXTENDS Naturals
VARIABLES x, y
Init == x \in 1..4 /\ y = x * x /\ y \in {1, 9, 16} /\ (x > 1 \/ y > 5)
Next == UNCHANGED <<x, y>>
=============================================================================
