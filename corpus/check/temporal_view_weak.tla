------------------------ MODULE temporal_view_weak --------------------------
\* A step that changes only what VIEW hides is a step of its action, and no stuttering.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
B == y < 3 /\ y' = y + 1 /\ x' = x
C == y = 3 /\ x' = 1 - x /\ y' = y
Spec == Init /\ [][B \/ C]_vars /\ WF_vars(B)
View == x
One == <>(y = 1)
=============================================================================
