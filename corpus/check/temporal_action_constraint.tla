--------------------- MODULE temporal_action_constraint ---------------------
\* Steps that are cut off.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' \in 0..3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == []<>(n = 3)
Up == n' = (n + 1) % 4
=============================================================================
