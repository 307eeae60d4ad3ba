------------------- MODULE temporal_not_eventually_broken -------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Never == ~<>(n = 2)
=============================================================================
