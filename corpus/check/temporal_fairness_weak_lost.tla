-------------------- MODULE temporal_fairness_weak_lost ---------------------
\* Weak fairness is not enough: entering is disabled again and again.
EXTENDS Naturals
VARIABLES door, inside
vars == <<door, inside>>
Init == door = "shut" /\ inside = FALSE
Open == door = "shut" /\ door' = "open" /\ UNCHANGED inside
Shut == door = "open" /\ door' = "shut" /\ UNCHANGED inside
Enter == door = "open" /\ ~inside /\ inside' = TRUE /\ UNCHANGED door
Next == Open \/ Shut \/ Enter
Spec == Init /\ [][Next]_vars /\ WF_vars(Open) /\ WF_vars(Shut) /\ WF_vars(Enter)
Enters == <>inside
=============================================================================
