----------------------- MODULE temporal_exists_broken -----------------------
EXTENDS Naturals
VARIABLE n
Init == n = 1
Next == n' = (n % 3) + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Some == \E i \in 1..3 : <>[](n = i)
=============================================================================
