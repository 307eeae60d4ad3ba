---------------- MODULE temporal_fairness_impossible_action -----------------
\* The fair action is no step of Next: where it is enabled the specification has no fair behavior.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Jump == n = 1 /\ n' = 7
Spec == Init /\ [][Next]_n /\ WF_n(Jump)
Reaches == <>(n = 2)
=============================================================================
