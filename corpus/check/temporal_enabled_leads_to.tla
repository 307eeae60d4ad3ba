--------------------- MODULE temporal_enabled_leads_to ----------------------
\* What is possible need not happen.
EXTENDS Naturals
VARIABLES n, done
vars == <<n, done>>
Init == n = 0 /\ done = FALSE
Turn == ~done /\ n' = 1 - n /\ UNCHANGED done
Finish == ~done /\ n = 1 /\ done' = TRUE /\ UNCHANGED n
Next == Turn \/ Finish
Spec == Init /\ [][Next]_vars /\ WF_vars(Turn) /\ WF_vars(Finish)
Live == (ENABLED Finish) ~> done
=============================================================================
