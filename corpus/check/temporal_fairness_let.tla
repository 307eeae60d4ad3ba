----------------------- MODULE temporal_fairness_let ------------------------
\* Fairness behind LET and definitions.
EXTENDS Naturals
CONSTANT P
VARIABLES n, m
vars == <<n, m>>
Init == n = 0 /\ m = 0
Up(k) == n < k /\ n' = n + 1 /\ m' = m
Other == m' = 1 - m /\ n' = n
Next == Up(3) \/ Other
Fair(A) == WF_vars(A)
Fairness == LET limit == 3
                Go == Up(limit)
            IN  Fair(Go) /\ \A i \in 1..2 : WF_vars(Other)
Spec == Init /\ [][Next]_vars /\ Fairness
Done == <>(n = 3) /\ []<>(m = 1)
=============================================================================
