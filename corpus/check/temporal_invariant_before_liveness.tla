----------------- MODULE temporal_invariant_before_liveness -----------------
\* So does an invariant.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n
Small == n < 3
Reaches == <>(n = 5)
=============================================================================
