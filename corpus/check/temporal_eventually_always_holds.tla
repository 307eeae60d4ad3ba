------------------ MODULE temporal_eventually_always_holds ------------------
\* Three rounds, then rest.
EXTENDS Naturals
VARIABLES n, rounds
vars == <<n, rounds>>
Init == n = 0 /\ rounds = 0
Next == rounds < 3 /\ n' = (n + 1) % 2 /\ rounds' = IF n = 1 THEN rounds + 1 ELSE rounds
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Rests == <>[](n = 0)
=============================================================================
