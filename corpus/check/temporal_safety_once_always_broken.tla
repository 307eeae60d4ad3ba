----------------- MODULE temporal_safety_once_always_broken -----------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n
Stays == [](n = 3 => [](n >= 3))
=============================================================================
