-------------------- MODULE temporal_disjunction_broken ---------------------
\* A third component has neither.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == \/ n = 0 /\ n' \in {1, 2, 5}
        \/ n = 1 /\ n' = 3
        \/ n = 3 /\ n' = 1
        \/ n = 2 /\ n' = 4
        \/ n = 4 /\ n' = 2
        \/ n = 5 /\ n' = 6
        \/ n = 6 /\ n' = 5
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Either == []<>(n = 3) \/ []<>(n = 4)
=============================================================================
