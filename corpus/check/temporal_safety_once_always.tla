-------------------- MODULE temporal_safety_once_always ---------------------
\* Once on, it stays on.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 4 /\ n' = n + 1
Spec == Init /\ [][Next]_n
Stays == [](n = 3 => [](n >= 3))
=============================================================================
