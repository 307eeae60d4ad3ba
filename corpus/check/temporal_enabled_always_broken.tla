------------------- MODULE temporal_enabled_always_broken -------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Reset == n = 2 /\ n' = 0
Spec == Init /\ [][Up \/ Reset]_n
Live == [](ENABLED Up)
=============================================================================
