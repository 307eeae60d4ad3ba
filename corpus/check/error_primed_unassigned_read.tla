-------------------- MODULE error_primed_unassigned_read --------------------
\* y' is read before it has a value.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = y' + 1 /\ y' = 1
=============================================================================
