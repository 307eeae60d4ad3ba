----------------------- MODULE temporal_view_strong -------------------------
\* Strong fairness of an action whose steps change only what VIEW hides.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
A == x' = (x + 1) % 3 /\ y' = y
B == x = 2 /\ y = 0 /\ y' = 1 /\ x' = x
Spec == Init /\ [][A \/ B]_vars /\ WF_vars(A) /\ SF_vars(B)
View == x
One == <>(y = 1)
=============================================================================
