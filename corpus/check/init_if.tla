------------------------------ MODULE init_if ------------------------------
EXTENDS Naturals
VARIABLES x, y
Init == /\ x \in 1..2
        /\ IF x = 1 THEN y \in {1, 2} ELSE y = 5
Next == UNCHANGED <<x, y>>
=============================================================================
