--------------------- MODULE temporal_disjunction_holds ---------------------
\* Each behavior settles in one of the two; neither disjunct holds of all.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == \/ n = 0 /\ n' \in {1, 2}
        \/ n = 1 /\ n' = 3
        \/ n = 3 /\ n' = 1
        \/ n = 2 /\ n' = 4
        \/ n = 4 /\ n' = 2
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Either == []<>(n = 3) \/ []<>(n = 4)
=============================================================================
