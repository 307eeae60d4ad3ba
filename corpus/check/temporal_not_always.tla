------------------------ MODULE temporal_not_always -------------------------
\* ~[]P is <>~P.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Leaves == ~[](n = 0)
=============================================================================
