------------------ MODULE temporal_refinement_parametrised ------------------
\* An instance with a parameter, one refinement for each of several clocks.
EXTENDS Naturals
VARIABLE h
Init == h = [c \in 1..2 |-> 0]
Tick(c) == h' = [h EXCEPT ![c] = (@ + 1) % 2]
Next == \E c \in 1..2 : Tick(c)
Spec == Init /\ [][Next]_h /\ \A c \in 1..2 : WF_h(Tick(c))
Clock(c) == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 2, hour <- h[c]
Refines == \A c \in 1..2 : Clock(c)!Spec
=============================================================================
