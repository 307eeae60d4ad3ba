--------------------- MODULE temporal_termination_flag ----------------------
\* Two workers, and a detector whose answer must be right and must come.
EXTENDS Naturals
VARIABLES active, said
vars == <<active, said>>
W == 1..2
Init == active \in [W -> BOOLEAN] /\ said = FALSE
Stop(w) == active[w] /\ active' = [active EXCEPT ![w] = FALSE] /\ UNCHANGED said
Wake(w, v) == active[w] /\ ~active[v] /\ active' = [active EXCEPT ![v] = TRUE] /\ UNCHANGED said
Say == (\A w \in W : ~active[w]) /\ ~said /\ said' = TRUE /\ UNCHANGED active
Next == Say \/ \E w \in W : Stop(w) \/ \E v \in W : Wake(w, v)
Spec == Init /\ [][Next]_vars /\ WF_vars(Say)
Quiet == \A w \in W : ~active[w]
Right == [](said => Quiet)
Comes == Quiet ~> said
Stable == [](Quiet => []Quiet)
=============================================================================
