----------------------- MODULE action_property_named -----------------------
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == \/ x < 2 /\ x' = x + 1 /\ y' = y
        \/ y' = 1 - y /\ x' = x
Spec == Init /\ [][Next]_vars
NeverBack == [][x' >= x]_vars
Increasing == [][y' > y]_y
=============================================================================
