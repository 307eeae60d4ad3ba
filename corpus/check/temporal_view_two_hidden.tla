--------------------- MODULE temporal_view_two_hidden -----------------------
\* Two hidden steps that are fair, and nothing else happens: violated, with VIEW and without. TLC keeps one of the two steps.
EXTENDS Naturals
VARIABLES x, y, z
vars == <<x, y, z>>
Init == x = 0 /\ y = 0 /\ z = 0
B == y' = 1 - y /\ UNCHANGED <<x, z>>
C == z' = 1 - z /\ UNCHANGED <<x, y>>
D == x' = 1 /\ UNCHANGED <<y, z>>
Spec == Init /\ [][B \/ C \/ D]_vars /\ WF_vars(B) /\ WF_vars(C)
View == x
Done == <>(x = 1)
=============================================================================
