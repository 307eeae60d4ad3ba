-------------------- MODULE temporal_enabled_unassigned ---------------------
\* The action leaves y' open: it is enabled nevertheless.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Half == x < 2 /\ x' = x + 1
Next == (Half /\ y' = y) \/ (x = 2 /\ x' = 0 /\ y' = y)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Live == []<>(ENABLED Half) /\ []<>(~ENABLED Half)
=============================================================================
