------------------- MODULE temporal_view_hidden_property --------------------
\* What VIEW hides stays as it is in the states that are kept: this holds with VIEW, and is violated without.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
A == x' = (x + 1) % 3 /\ y' = y
B == x = 2 /\ y' = 1 - y /\ x' = x
Spec == Init /\ [][A \/ B]_vars /\ WF_vars(A)
View == x
Zero == []<>(y = 0)
=============================================================================
