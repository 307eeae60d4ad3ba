------------------------- MODULE temporal_two_next --------------------------
\* A specification with two box actions.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ [][n' # 5]_n /\ WF_n(Next)
Live == <>(n = 2)
=============================================================================
