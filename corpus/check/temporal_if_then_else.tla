----------------------- MODULE temporal_if_then_else ------------------------
\* IF with temporal branches.
EXTENDS Naturals
CONSTANT Long
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Choice == IF Long THEN []<>(n = 2) ELSE <>(n = 5)
=============================================================================
