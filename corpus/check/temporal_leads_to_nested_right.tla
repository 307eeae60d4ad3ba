------------------- MODULE temporal_leads_to_nested_right -------------------
\* P ~> (Q ~> R) is an ordinary formula.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Chain == (n = 1) ~> ((n = 2) ~> (n = 3))
=============================================================================
