------------------- MODULE semantic_recursive_undeclared -------------------
EXTENDS Naturals
VARIABLE x
F(n) == IF n = 0 THEN 0 ELSE F(n - 1)
Init == x = F(2)
Next == x' = x
=============================================================================
