------------------- MODULE temporal_property_weak_broken --------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 2 /\ n' = n + 1
Spec == Init /\ [][Next]_n
Fair == WF_n(Next)
=============================================================================
