----------------------- MODULE temporal_view_unfair -------------------------
\* As temporal_view_strong, but fairness is weak: the loop avoids the hidden step.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
A == x' = (x + 1) % 3 /\ y' = y
B == x = 2 /\ y = 0 /\ y' = 1 /\ x' = x
Spec == Init /\ [][A \/ B]_vars /\ WF_vars(A) /\ WF_vars(B)
View == x
One == <>(y = 1)
=============================================================================
