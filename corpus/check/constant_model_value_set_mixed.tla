------------------- MODULE constant_model_value_set_mixed -------------------
\* An untyped model value may be with anything.
CONSTANT S
VARIABLE x
Init == x \in S
Next == x' \in S \ {x}
=============================================================================
