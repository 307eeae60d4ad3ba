------------------------ MODULE action_primed_guard ------------------------
\* A primed variable is read after it was assigned.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ /\ x' \in 0..3
           /\ x' > x
           /\ y' = x' + x
           /\ y' % 2 = 0
        \/ x = 3 /\ x' = 0 /\ y' = x'
        \/ x = 2 /\ UNCHANGED <<x, y>>
=============================================================================
