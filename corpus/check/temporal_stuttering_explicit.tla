-------------------- MODULE temporal_stuttering_explicit --------------------
\* An explicit stuttering step of Next is no progress, and WF does not count it.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Wait == n' = n
Up == n < 2 /\ n' = n + 1
Next == Wait \/ Up
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 2)
=============================================================================
