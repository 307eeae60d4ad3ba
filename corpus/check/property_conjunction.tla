------------------------ MODULE property_conjunction ------------------------
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = 1 - x /\ y' = (y + 1) % 3
Spec == Init /\ [][Next]_<<x, y>>
Both == /\ x = 0
        /\ [](x \in {0, 1})
        /\ [][y' # y]_y
        /\ [][x' = 1 - x]_<<x, y>>
=============================================================================
