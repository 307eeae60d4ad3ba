---------------------- MODULE temporal_view_leads_to ------------------------
\* B is hidden, so C is enabled in no state that is kept, and need not happen: violated with VIEW, and holds without.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
A == x' = 1 - x /\ y' = y
B == y = 0 /\ y' = 1 /\ x' = x
C == y = 1 /\ y' = 2 /\ x' = x
Spec == Init /\ [][A \/ B \/ C]_vars /\ WF_vars(A) /\ WF_vars(C)
View == x
Leads == (y = 1) ~> (y = 2)
=============================================================================
