-------------- MODULE semantic_level_primed_constant_parameter --------------
\* A temporal formula inside an action.
VARIABLE x
Init == x = 0
Next == x' = 1 /\ []TRUE
=============================================================================
