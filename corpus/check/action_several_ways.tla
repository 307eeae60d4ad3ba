------------------------- MODULE action_several_ways -------------------------
\* Three ways through an action lead to the same state: TLC generates it three times, and it is one step.
EXTENDS Naturals
VARIABLE x
Init == x = 0
A == /\ x < 2
     /\ (x < 5 \/ x < 6 \/ x < 7)
     /\ x' = x + 1
Next == A
=============================================================================
