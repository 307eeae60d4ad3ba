------------------ MODULE temporal_leads_to_nested_broken -------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Chain == (n = 1) ~> ((n = 3) ~> (n = 5))
=============================================================================
