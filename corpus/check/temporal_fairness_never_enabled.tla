------------------ MODULE temporal_fairness_never_enabled -------------------
\* Fairness of what is never possible changes nothing.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Far == n > 5 /\ n' = 0
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(Far)
Again == []<>(n = 2)
=============================================================================
