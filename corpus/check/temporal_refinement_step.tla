---------------------- MODULE temporal_refinement_step ----------------------
\* One step is no step of the clock.
EXTENDS Naturals
VARIABLE h
Init == h = 0
Next == IF h = 2 THEN h' = 1 ELSE h' = h + 1
Spec == Init /\ [][Next]_h /\ WF_h(Next)
Clock == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 3, hour <- h
Refines == Clock!Spec
=============================================================================
