------------------- MODULE temporal_components_two_holds --------------------
\* Without strong fairness the first component would do.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Left == n \in {0, 1} /\ n' = 1 - n
Cross == n = 1 /\ n' = 2
Right == n \in {2, 3} /\ n' = 5 - n
Next == Left \/ Cross \/ Right
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(Cross)
Away == <>[](n > 1)
=============================================================================
