----------------------- MODULE temporal_constant_true -----------------------
\* Nothing to check.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = 1 - n
Spec == Init /\ [][Next]_n
Fine == TRUE
=============================================================================
