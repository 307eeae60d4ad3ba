------------------- MODULE temporal_leads_to_nested_late --------------------
\* 3 is not followed by 2, but once 3 is over the inner formula holds.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 4 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Chain == (n = 1) ~> ((n = 3) ~> (n = 2))
=============================================================================
