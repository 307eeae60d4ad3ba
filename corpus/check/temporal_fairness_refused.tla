--------------------- MODULE temporal_fairness_refused ----------------------
\* [][A]_v beside fairness inside of a disjunction of the specification.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ (WF_n(Next) \/ [][n' > n]_n)
Live == <>(n = 2)
=============================================================================
