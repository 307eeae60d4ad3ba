------------------------ MODULE property_init_broken ------------------------
\* The initial predicate of the property fails.
EXTENDS Naturals
VARIABLE x
Init == x \in 0..1
Next == x' = 1 - x
Spec == Init /\ [][Next]_x
Abstract == x = 0 /\ [][x' = 1 - x]_x
=============================================================================
