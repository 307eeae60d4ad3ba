------------------ MODULE temporal_quantifier_alternation -------------------
\* \A over \E over <>.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 6
Spec == Init /\ [][Next]_n /\ WF_n(Next)
All == \A i \in 0..2 : \E j \in 3..5 : (n = i) ~> (n = j /\ j = i + 3)
=============================================================================
