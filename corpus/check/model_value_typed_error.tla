---------------------- MODULE model_value_typed_error ----------------------
\* Values of two types cannot be compared.
CONSTANTS A, B
VARIABLE x
Init == x = A
Next == x' = x /\ A # B
=============================================================================
