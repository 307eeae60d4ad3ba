--------------------------- MODULE property_step ---------------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == (x < 4 /\ x' = x + 1) \/ (x = 4 /\ UNCHANGED x)
Spec == Init /\ [][Next]_x
Up == [][x' > x]_x
=============================================================================
