--------------------------- MODULE init_filtered ---------------------------
EXTENDS Naturals
VARIABLES x, y
Init == /\ x \in 1..5
        /\ y \in 1..5
        /\ x + y = 6
        /\ x > y
Next == UNCHANGED <<x, y>>
=============================================================================
