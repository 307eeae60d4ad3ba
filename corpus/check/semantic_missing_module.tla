---------------------- MODULE semantic_missing_module ----------------------
EXTENDS Naturals, NoSuchModule
VARIABLE x
Init == x = 0
Next == x' = x
=============================================================================
