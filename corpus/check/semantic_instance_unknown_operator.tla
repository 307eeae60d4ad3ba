----------------- MODULE semantic_instance_unknown_operator -----------------
VARIABLE x
---- MODULE Has ----
VARIABLE x
Start == x = 0
====================
H == INSTANCE Has
Init == H!Begin
Next == x' = x
=============================================================================
