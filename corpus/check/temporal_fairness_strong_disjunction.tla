---------------- MODULE temporal_fairness_strong_disjunction ----------------
\* Strong fairness of the disjunction: the same holds of it.
EXTENDS Naturals
VARIABLES a, b
vars == <<a, b>>
Init == a = 0 /\ b = 0
A == a' = 1 - a /\ b' = b
B == b = 0 /\ b' = 1 /\ a' = a
Spec == Init /\ [][A \/ B]_vars /\ SF_vars(A \/ B)
Done == <>(b = 1)
=============================================================================
