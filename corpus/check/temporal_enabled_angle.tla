----------------------- MODULE temporal_enabled_angle -----------------------
\* ENABLED <<A>>_v: A can be taken with a change of v. Idle cannot.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Idle == n' = n
Up == n < 2 /\ n' = n + 1
Spec == Init /\ [][Idle \/ Up]_n /\ WF_n(Up)
Free == ENABLED Idle /\ ~ENABLED <<Idle>>_n
Live == <>(~ENABLED <<Idle \/ Up>>_n) /\ []Free
=============================================================================
