---------------------- MODULE config_missing_constant ----------------------
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
=============================================================================
