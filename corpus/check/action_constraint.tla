------------------------- MODULE action_constraint -------------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' \in 0..5
Slow == x' <= x + 1
=============================================================================
