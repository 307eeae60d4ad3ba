---------------------- MODULE config_replacement_arity ----------------------
CONSTANT N
VARIABLE x
Two(a) == a
Init == x = N
Next == x' = x
=============================================================================
