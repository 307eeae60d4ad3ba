--------------- MODULE temporal_implication_from_state_broken ---------------
EXTENDS Naturals
VARIABLE n
Init == n \in 0..1
Next == n < 4 /\ n' = n + 2
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Parity == (n = 1) => <>(n = 4)
=============================================================================
