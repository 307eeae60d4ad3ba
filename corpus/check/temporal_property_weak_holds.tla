-------------------- MODULE temporal_property_weak_holds --------------------
\* Fairness as a property.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Fair == WF_n(Next)
=============================================================================
