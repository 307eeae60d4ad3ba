----------------- MODULE temporal_always_eventually_unfair ------------------
\* The only way out of the cycle is to stop.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Again == []<>(n = 0)
=============================================================================
