------------------- MODULE temporal_leads_to_always_holds -------------------
EXTENDS Naturals
VARIABLE n
Init == n \in {0, 3}
Next == n < 5 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Settles == (n = 3) ~> [](n > 3)
=============================================================================
