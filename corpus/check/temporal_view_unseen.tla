------------------------ MODULE temporal_view_unseen ------------------------
\* Only a hidden step makes x = 2 possible. The search goes on from one state of each view, and never sees it.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 1 /\ y = 2
Hidden == x = 1 /\ y' = (y + 1) % 3 /\ x' = x
Leave == x = 1 /\ y = 0 /\ x' = 2 /\ y' = y
Spec == Init /\ [][Hidden \/ Leave]_vars /\ WF_vars(Hidden \/ Leave)
View == x
Seen == <>(y = 1)
=============================================================================
