---------------------- MODULE config_unknown_constant ----------------------
\* TLC does not mind a constant that the specification does not have.
VARIABLE x
Init == x = 0
Next == x' = x
=============================================================================
