--------------------- MODULE temporal_deadlock_on_holds ---------------------
\* Without a deadlock, CHECK_DEADLOCK TRUE says nothing.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == (n < 2 /\ n' = n + 1) \/ (n = 2 /\ n' = 2)
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>[](n = 2)
=============================================================================
