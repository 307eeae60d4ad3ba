---------------------- MODULE temporal_constraint_loop ----------------------
\* A loop inside of the constraint.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = n + 1 \/ (n = 2 /\ n' = 0)
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 5)
Small == n < 4
=============================================================================
