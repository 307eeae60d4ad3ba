-------------- MODULE temporal_fairness_foreign_action_broken ---------------
\* Strong fairness of each single step up would be needed, not of any.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' \in 0..3 /\ n' # n
Climb == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(Climb)
Top == []<>(n = 3)
=============================================================================
