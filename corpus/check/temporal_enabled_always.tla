---------------------- MODULE temporal_enabled_always -----------------------
\* ENABLED of a guarded action: checked in every state.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Reset == n = 2 /\ n' = 0
Spec == Init /\ [][Up \/ Reset]_n
Live == [](ENABLED Up \/ ENABLED Reset)
=============================================================================
