--------------- MODULE temporal_safety_implied_always_broken ----------------
EXTENDS Naturals
VARIABLE n
Init == n \in 0..3
Next == n' = (n + 2) % 4
Spec == Init /\ [][Next]_n
Small == (n = 1) => [](n < 3)
=============================================================================
