--------------- MODULE temporal_step_eventually_always_holds ----------------
\* After some time there are steps of one kind only.
EXTENDS Naturals
VARIABLES n, phase
vars == <<n, phase>>
Init == n = 0 /\ phase = 1
One == phase = 1 /\ n < 2 /\ n' = n + 1 /\ phase' = phase
Two == phase = 1 /\ n = 2 /\ phase' = 2 /\ n' = n
Three == phase = 2 /\ n' = (n + 1) % 3 /\ phase' = phase
Next == One \/ Two \/ Three
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Only == <>[][Three]_vars
=============================================================================
