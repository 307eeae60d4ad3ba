---------------------- MODULE temporal_enabled_if_case ----------------------
\* Conditions, cases and local definitions inside of ENABLED.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Odd == LET m == n % 2 IN IF m = 1 THEN n' = 0 ELSE FALSE
Pick == CASE n = 0 -> n' = 1 [] n = 1 -> n' = 2 [] OTHER -> n > 5 /\ n' = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Agree == []((ENABLED Odd <=> n % 2 = 1) /\ (ENABLED Pick <=> n < 2))
Again == []<>(ENABLED Odd /\ ENABLED Pick)
=============================================================================
