--------------------------- MODULE temporal_view ----------------------------
\* A VIEW and a temporal property.
EXTENDS Naturals
VARIABLES n, noise
vars == <<n, noise>>
Init == n = 0 /\ noise = 0
Next == n' = (n + 1) % 3 /\ noise' \in 0..1
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Again == []<>(n = 2)
Seen == n
=============================================================================
