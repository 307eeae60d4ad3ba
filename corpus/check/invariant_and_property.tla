----------------------- MODULE invariant_and_property -----------------------
\* Both break; the action property breaks first.
EXTENDS Naturals
VARIABLE x
Init == x = 2
Next == x' = (x + 1) % 6
Spec == Init /\ [][Next]_x
Small == x < 9
Up == [][x' > x]_x
=============================================================================
