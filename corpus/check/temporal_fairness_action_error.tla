------------------- MODULE temporal_fairness_action_error -------------------
\* The fair action cannot be evaluated: a comparison with a string.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Odd == n = "one" /\ n' = 0
Spec == Init /\ [][Next]_n /\ WF_n(Odd)
Live == <>(n = 2)
=============================================================================
