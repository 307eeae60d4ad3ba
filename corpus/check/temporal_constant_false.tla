---------------------- MODULE temporal_constant_false -----------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = 1 - n
Spec == Init /\ [][Next]_n
Wrong == FALSE
=============================================================================
