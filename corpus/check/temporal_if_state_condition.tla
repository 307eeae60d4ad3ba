-------------------- MODULE temporal_if_state_condition ---------------------
\* The condition is a state predicate: it is about the first state.
EXTENDS Naturals
VARIABLE n
Init == n \in {0, 1}
Next == n' = (n + 2) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Choice == IF n = 0 THEN []<>(n = 2) ELSE []<>(n = 3)
=============================================================================
