---------------------- MODULE temporal_eventually_loop ----------------------
\* Fairness forbids to stop, so that the counterexample is the cycle itself.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 4)
=============================================================================
