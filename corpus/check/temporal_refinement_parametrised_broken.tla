-------------- MODULE temporal_refinement_parametrised_broken ---------------
\* The second clock may be forgotten.
EXTENDS Naturals
VARIABLE h
Init == h = [c \in 1..2 |-> 0]
Tick(c) == h' = [h EXCEPT ![c] = (@ + 1) % 2]
Next == \E c \in 1..2 : Tick(c)
Spec == Init /\ [][Next]_h /\ WF_h(Next)
Clock(c) == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 2, hour <- h[c]
Refines == Clock(1)!Spec /\ Clock(2)!Spec
=============================================================================
