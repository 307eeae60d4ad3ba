----------------- MODULE temporal_eventually_always_toggle ------------------
\* Never for good.
VARIABLE on
Init == on = FALSE
Next == on' = ~on
Spec == Init /\ [][Next]_on /\ WF_on(Next)
Rests == <>[]on
=============================================================================
