-------------------- MODULE temporal_fairness_disjoined ---------------------
\* Either of two fairness conditions.
EXTENDS Naturals
VARIABLES a, b
vars == <<a, b>>
Init == a = 0 /\ b = 0
A == a' = 1 - a /\ b' = b
B == b' = 1 - b /\ a' = a
Spec == Init /\ [][A \/ B]_vars /\ (WF_vars(A) \/ WF_vars(B))
One == []<>(a = 1) \/ []<>(b = 1)
=============================================================================
