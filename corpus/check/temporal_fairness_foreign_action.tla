------------------ MODULE temporal_fairness_foreign_action ------------------
\* The fair action is no disjunct of Next, but its steps are steps of Next.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' \in 0..3 /\ n' # n
Climb == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(Climb)
Ups == []<><<Climb>>_n
=============================================================================
