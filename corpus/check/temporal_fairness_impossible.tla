-------------------- MODULE temporal_fairness_impossible --------------------
\* Fairness that no behavior has: everything holds.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 2
Spec == Init /\ [][Next]_n /\ <>(n = 7)
Never == <>(n = 9)
=============================================================================
