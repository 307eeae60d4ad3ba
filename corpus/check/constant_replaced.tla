------------------------- MODULE constant_replaced -------------------------
EXTENDS Naturals
CONSTANTS N, Set
VARIABLE x
Five == 2 + 3
SmallSet == 0..(N - 1)
Init == x \in Set
Next == x' \in {y \in Set : y > x} \cup {0}
=============================================================================
