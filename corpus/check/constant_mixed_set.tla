------------------------- MODULE constant_mixed_set -------------------------
\* Numbers and strings in one set.
CONSTANT S
VARIABLE x
Init == x \in S
Next == x' = x
=============================================================================
