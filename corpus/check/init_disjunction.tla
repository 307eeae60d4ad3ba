-------------------------- MODULE init_disjunction --------------------------
EXTENDS Naturals
VARIABLES x, y
Init == \/ x = 1 /\ y = 2
        \/ x = 2 /\ y \in {3, 4}
        \/ /\ y = 2
           /\ x = 1
Next == UNCHANGED <<x, y>>
=============================================================================
