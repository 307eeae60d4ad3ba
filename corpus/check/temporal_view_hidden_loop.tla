--------------------- MODULE temporal_view_hidden_loop ----------------------
\* Hidden steps go on forever, as fairness demands, and nothing else happens.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
B == y' = 1 - y /\ x' = x
C == x' = 1 /\ y' = y
Spec == Init /\ [][B \/ C]_vars /\ WF_vars(B)
View == x
Done == <>(x = 1)
=============================================================================
