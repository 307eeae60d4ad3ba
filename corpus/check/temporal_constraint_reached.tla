-------------------- MODULE temporal_constraint_reached ---------------------
\* What is asked for lies inside.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 2)
Small == n < 4
=============================================================================
