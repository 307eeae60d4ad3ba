-------------------- MODULE temporal_implication_broken ---------------------
\* The premise can be met without the conclusion.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == \/ n = 0 /\ n' \in {1, 2}
        \/ n \in {1, 2} /\ n' = 0
Spec == Init /\ [][Next]_n
Served == []<>(n = 1) => []<>(n = 2)
=============================================================================
