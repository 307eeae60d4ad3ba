--------------------- MODULE action_constraint_deadlock ---------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Never == x' < 3
=============================================================================
