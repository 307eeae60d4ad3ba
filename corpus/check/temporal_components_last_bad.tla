-------------------- MODULE temporal_components_last_bad --------------------
\* Three components in a row, each may be left; only staying in the last is against the property.
EXTENDS Naturals
VARIABLES n, t
vars == <<n, t>>
Init == n = 1 /\ t = 0
Turn == t' = 1 - t /\ n' = n
Go == n < 3 /\ n' = n + 1 /\ t' = 0
Next == Turn \/ Go
Spec == Init /\ [][Next]_vars /\ WF_vars(Turn)
NotLast == \/ <>[](n = 1)
           \/ <>[](n = 2)
=============================================================================
