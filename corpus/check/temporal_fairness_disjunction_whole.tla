---------------- MODULE temporal_fairness_disjunction_whole -----------------
\* Fairness of A \/ B is content with A alone.
EXTENDS Naturals
VARIABLES a, b
vars == <<a, b>>
Init == a = 0 /\ b = 0
A == a' = 1 - a /\ b' = b
B == b' = 1 - b /\ a' = a
Spec == Init /\ [][A \/ B]_vars /\ WF_vars(A \/ B)
Bs == []<><<B>>_vars
=============================================================================
