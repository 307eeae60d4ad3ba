-------------- MODULE temporal_step_infinitely_often_subscript --------------
\* <<A>>_v asks for a change of v, here of the variable that stays.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == x' = 1 - x /\ y' = y
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Moves == []<><<Next>>_y
=============================================================================
