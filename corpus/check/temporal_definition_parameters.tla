------------------- MODULE temporal_definition_parameters -------------------
\* Temporal formulas behind operators with parameters.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
At(i) == n = i
Leads(P, Q) == P ~> Q
Recurs(P) == []<>P
All == /\ Leads(At(1), At(3))
       /\ \A i \in 0..3 : Recurs(At(i))
=============================================================================
