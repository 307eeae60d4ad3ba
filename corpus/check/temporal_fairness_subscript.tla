-------------------- MODULE temporal_fairness_subscript ---------------------
\* WF_x of an action that changes y alone asks for nothing.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == y < 2 /\ y' = y + 1 /\ x' = x
Spec == Init /\ [][Next]_vars /\ WF_x(Next)
Reaches == <>(y = 2)
=============================================================================
