-------------------- MODULE invariant_operator_parameter --------------------
\* An invariant must not have parameters.
VARIABLE x
Init == x = 0
Next == x' = x
Inv(y) == x = y
=============================================================================
