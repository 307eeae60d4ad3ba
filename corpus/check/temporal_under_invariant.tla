---------------------- MODULE temporal_under_invariant ----------------------
\* A temporal formula under INVARIANT.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Live == <>(n = 2)
=============================================================================
