---------------------- MODULE definition_replaced_core ----------------------
EXTENDS Naturals
VARIABLE x
Size == 100
Init == x = 0
Next == x' = (x + 1) % Size
=============================================================================
