------------------------- MODULE guard_equivalence -------------------------
EXTENDS Naturals
VARIABLES x, b
Init == x = 0 /\ b = TRUE
Next == /\ x' = (x + 1) % 3
        /\ b' \in BOOLEAN
        /\ b' <=> x' > 0
        /\ (x' = 1 => b') \/ FALSE
=============================================================================
