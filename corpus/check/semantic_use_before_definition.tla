------------------- MODULE semantic_use_before_definition -------------------
VARIABLE x
Init == x = Later
Later == 0
Next == x' = x
=============================================================================
