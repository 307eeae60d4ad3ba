---------------------- MODULE temporal_refinement_init ----------------------
\* Wrong from the beginning.
EXTENDS Naturals
VARIABLE h
Init == h \in {0, 2}
Next == h' = (h + 1) % 3
Spec == Init /\ [][Next]_h /\ WF_h(Next)
Clock == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 3, hour <- h
Refines == Clock!Spec
=============================================================================
