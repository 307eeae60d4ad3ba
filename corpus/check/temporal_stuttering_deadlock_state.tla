----------------- MODULE temporal_stuttering_deadlock_state -----------------
\* The last state has no successor and is not what was asked for: stuttering, in spite of fairness.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 2 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 5)
=============================================================================
