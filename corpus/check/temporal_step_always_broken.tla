-------------------- MODULE temporal_step_always_broken ---------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Grows == [][n' > n]_n
=============================================================================
