--------------------- MODULE guard_parenthesised_after ---------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3 /\ (x' > 0 \/ x' < 3)
=============================================================================
