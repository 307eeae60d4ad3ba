---------------------- MODULE temporal_constraint_cuts ----------------------
\* The states where it would hold are cut off.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 5)
Small == n < 3
=============================================================================
