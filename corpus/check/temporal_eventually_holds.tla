--------------------- MODULE temporal_eventually_holds ----------------------
\* <>P, and weak fairness makes the counter go on.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 3)
=============================================================================
