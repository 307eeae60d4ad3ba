--------------- MODULE semantic_instance_missing_substitution ---------------
VARIABLE x
---- MODULE Need ----
VARIABLE v
Start == v = 0
=====================
N == INSTANCE Need
Init == N!Start
Next == x' = x
=============================================================================
