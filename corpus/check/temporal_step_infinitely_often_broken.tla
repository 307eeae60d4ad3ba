--------------- MODULE temporal_step_infinitely_often_broken ----------------
\* Between 0 and 1 for good: Reset is possible again and again, and not taken.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Down == n = 1 /\ n' = 0
Reset == n = 2 /\ n' = 0
Next == Up \/ Down \/ Reset
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Resets == []<><<Reset>>_n
=============================================================================
