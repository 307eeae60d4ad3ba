--------------------- MODULE temporal_refinement_middle ---------------------
\* The level between; see temporal_refinement_two_level.
EXTENDS Naturals
VARIABLES h, m
vars == <<h, m>>
Init == h = 0 /\ m = 0
Next == IF m = 0 THEN m' = 1 /\ h' = h ELSE m' = 0 /\ h' = (h + 1) % 3
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Clock == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 3, hour <- h
=============================================================================
