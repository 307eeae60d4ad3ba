------------------- MODULE temporal_instance_module_part --------------------
\* What two other specifications instantiate.
EXTENDS Naturals
CONSTANT Top
VARIABLE v
Start == v = 0
Step == v < Top /\ v' = v + 1
Wrap == v = Top /\ v' = 0
Behavior == Start /\ [][Step \/ Wrap]_v /\ WF_v(Step) /\ WF_v(Wrap)
Full == []<>(v = Top)
Fills == \A i \in 0..Top : (v = i) ~> (v = Top)
=============================================================================
