------------------ MODULE temporal_step_eventually_refused ------------------
\* <><<A>>_v is a fine formula that TLC does not handle.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Resets == <><<n' = 0>>_n
=============================================================================
