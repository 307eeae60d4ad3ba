------------------ MODULE temporal_definition_higher_order ------------------
\* A LAMBDA and an operator passed by name.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Each(F(_)) == \A i \in 0..3 : []<>F(i)
Is(i) == n = i
All == Each(Is) /\ Each(LAMBDA i : n # i)
=============================================================================
