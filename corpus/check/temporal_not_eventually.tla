---------------------- MODULE temporal_not_eventually -----------------------
\* ~<>P is []~P: safety in disguise.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Never == ~<>(n = 3)
=============================================================================
