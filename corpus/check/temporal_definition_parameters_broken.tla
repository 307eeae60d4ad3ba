--------------- MODULE temporal_definition_parameters_broken ----------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
At(i) == n = i
Stays(P) == <>[]P
Some == \E i \in 0..3 : Stays(At(i))
=============================================================================
