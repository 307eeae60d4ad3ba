--------------------- MODULE temporal_eventually_unfair ---------------------
\* <>P without fairness: the counter may stop anywhere.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n
Reaches == <>(n = 3)
=============================================================================
