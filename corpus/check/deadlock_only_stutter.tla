----------------------- MODULE deadlock_only_stutter -----------------------
\* A state with only a self-loop is not a deadlock.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == \/ n < 2 /\ n' = n + 1
        \/ n = 2 /\ UNCHANGED n
Spec == Init /\ [][Next]_n
=============================================================================
