-------------------------- MODULE error_enumerate --------------------------
EXTENDS Naturals
VARIABLE x
Init == x \in Nat
Next == x' = x
=============================================================================
