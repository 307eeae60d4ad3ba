---------------------------- MODULE counter_spec ----------------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 7
Spec == Init /\ [][Next]_n
Bounded == n \in 0..6
=============================================================================
