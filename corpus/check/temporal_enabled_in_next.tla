---------------------- MODULE temporal_enabled_in_next ----------------------
\* ENABLED as a guard of the next-state action.
EXTENDS Naturals
VARIABLES n, m
vars == <<n, m>>
Init == n = 0 /\ m = 0
Up == n < 2 /\ n' = n + 1
Next == (Up /\ m' = m) \/ (~ENABLED Up /\ m' = 1 /\ n' = n)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Ends == <>(m = 1)
=============================================================================
