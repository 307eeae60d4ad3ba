------------------------ MODULE error_state_compare ------------------------
\* States that differ in type are fine; comparing the values is not.
VARIABLE x
Init == x = 0
Next == x' \in {"a", "b"}
Inv == x # 1
=============================================================================
