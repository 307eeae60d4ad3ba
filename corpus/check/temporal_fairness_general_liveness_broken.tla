------------- MODULE temporal_fairness_general_liveness_broken --------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' \in {0, 1, 2}
Spec == Init /\ [][Next]_n /\ []<>(n = 1) /\ ((n = 1) ~> (n = 2))
Again == []<>(n = 0)
=============================================================================
