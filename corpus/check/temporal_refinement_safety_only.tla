------------------ MODULE temporal_refinement_safety_only -------------------
\* Only the abstract safety is asked for.
EXTENDS Naturals
VARIABLE h
Init == h = 0
Next == h' = (h + 1) % 3
Spec == Init /\ [][Next]_h
Clock == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 3, hour <- h
Refines == Clock!Safe
=============================================================================
