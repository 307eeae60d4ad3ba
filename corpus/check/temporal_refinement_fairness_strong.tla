---------------- MODULE temporal_refinement_fairness_strong -----------------
\* With strong fairness of the hour it is a clock.
EXTENDS Naturals
VARIABLES h, m
vars == <<h, m>>
Init == h = 0 /\ m = 0
Minute == m' = 1 - m /\ h' = h
Hour == m = 1 /\ m' = 0 /\ h' = (h + 1) % 3
Next == Minute \/ Hour
Spec == Init /\ [][Next]_vars /\ WF_vars(Minute) /\ SF_vars(Hour)
Clock == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 3, hour <- h
Refines == Clock!Spec
=============================================================================
