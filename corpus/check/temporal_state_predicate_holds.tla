------------------- MODULE temporal_state_predicate_holds -------------------
\* A state predicate as a property is about the initial states.
EXTENDS Naturals
VARIABLE n
Init == n \in {0, 1}
Next == n' = n + 1 /\ n < 4
Spec == Init /\ [][Next]_n
Begins == n < 2
=============================================================================
