--------------------- MODULE model_value_typed_with_int ---------------------
CONSTANT A
VARIABLE x
Init == x = A
Next == x' = x /\ x # 1
=============================================================================
