----------------- MODULE temporal_refinement_abstract_clock -----------------
\* The abstract side of the refinements: a clock of Hours hours that goes on.
EXTENDS Naturals
CONSTANT Hours
VARIABLE hour
Init == hour = 0
Next == hour' = (hour + 1) % Hours
Safe == Init /\ [][Next]_hour
Spec == Safe /\ WF_hour(Next)
=============================================================================
