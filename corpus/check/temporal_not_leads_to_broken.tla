-------------------- MODULE temporal_not_leads_to_broken --------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
NotLed == ~((n = 1) ~> (n = 0))
=============================================================================
