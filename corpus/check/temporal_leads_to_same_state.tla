-------------------- MODULE temporal_leads_to_same_state --------------------
\* What holds at once is reached: no step is needed.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
AtOnce == (n = 1) ~> (n > 0)
=============================================================================
