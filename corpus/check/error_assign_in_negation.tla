---------------------- MODULE error_assign_in_negation ----------------------
\* A negated equation does not assign.
VARIABLE x
Init == x = 0
Next == ~(x' = 1)
=============================================================================
