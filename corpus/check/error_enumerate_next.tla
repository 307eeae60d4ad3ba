------------------------ MODULE error_enumerate_next ------------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' \in Nat
=============================================================================
