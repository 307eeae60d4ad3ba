-------------------- MODULE temporal_stuttering_initial ---------------------
\* Already the first state may be the last.
EXTENDS Naturals
VARIABLE n
Init == n \in {0, 1}
Next == n = 0 /\ n' = 2
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Moves == <>(n = 2)
=============================================================================
