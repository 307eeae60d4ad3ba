------------------- MODULE temporal_property_same_as_spec -------------------
\* A specification implies itself, fairness and all.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
A == x' = (x + 1) % 3 /\ y' = y
B == x = 2 /\ y' = 1 - y /\ x' = x
Spec == Init /\ [][A \/ B]_vars /\ WF_vars(A) /\ SF_vars(B)
=============================================================================
