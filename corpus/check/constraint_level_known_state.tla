---- MODULE constraint_level_known_state ----
\* The step back to the first state is cut off, because it would be too deep there; so no behavior leaves x = 1.
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Con == TLCGet("level") < 3
P == <>[](x = 1)
====
