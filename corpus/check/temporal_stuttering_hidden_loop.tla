------------------ MODULE temporal_stuttering_hidden_loop -------------------
\* A loop that changes only what the fair action's subscript does not see.
EXTENDS Naturals
VARIABLES n, clock
vars == <<n, clock>>
Init == n = 0 /\ clock = 0
Tick == clock' = 1 - clock /\ n' = n
Up == n < 2 /\ clock = 1 /\ n' = n + 1 /\ clock' = clock
Next == Tick \/ Up
Spec == Init /\ [][Next]_vars /\ WF_vars(Tick) /\ WF_n(Up)
Reaches == <>(n = 2)
=============================================================================
