---------------- MODULE temporal_step_infinitely_often_holds ----------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Reset == n = 2 /\ n' = 0
Spec == Init /\ [][Up \/ Reset]_n /\ WF_n(Up \/ Reset)
Resets == []<><<Reset>>_n
=============================================================================
