----------------- MODULE temporal_enabled_infinitely_often ------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Reset == n = 2 /\ n' = 0
Next == Up \/ Reset
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Live == []<>(ENABLED Reset)
=============================================================================
