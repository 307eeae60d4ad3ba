---------------------------- MODULE counter_fair ----------------------------
\* Fairness in the specification does not change the states.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == (n < 3 /\ n' = n + 1) \/ (n = 3 /\ n' = 0)
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(n = 3 /\ n' = 0)
Bounded == n \in 0..3
=============================================================================
