--------------------- MODULE config_unknown_replacement ---------------------
CONSTANT N
VARIABLE x
Init == x = N
Next == x' = x
=============================================================================
