------------------- MODULE temporal_fairness_primed_guard -------------------
\* A fair action with a condition on the next state.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' \in 0..4
Good == Next /\ n' > n /\ n' % 2 = 0
Spec == Init /\ [][Next]_n /\ SF_n(Good)
Even == <>(n = 2 \/ n = 4)
=============================================================================
