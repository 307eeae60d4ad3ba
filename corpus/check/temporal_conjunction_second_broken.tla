----------------- MODULE temporal_conjunction_second_broken -----------------
\* One conjunct of two is violated.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Both == <>(n = 1) /\ <>(n = 3)
=============================================================================
