--------------------- MODULE temporal_view_hidden_steps ---------------------
\* It takes two hidden steps to y = 1, and x may stay 2 from then on.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 2 /\ y = 2
Hidden == x' = x /\ y' = (y + 1) % 3
Leave == x' = 0 /\ y' = 1
Spec == Init /\ [][Hidden \/ Leave]_vars
View == x
Left == (y = 1) ~> (x = 0)
=============================================================================
