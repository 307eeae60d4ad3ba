------------------ MODULE temporal_leads_to_always_broken -------------------
\* It gets there, but not for good.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 5
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Settles == (n = 3) ~> [](n > 3)
=============================================================================
