---------------------- MODULE action_composition ----------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
A == x' = (x + 1) % 5
Next == A \cdot A
=============================================================================
