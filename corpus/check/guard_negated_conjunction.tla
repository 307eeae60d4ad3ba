--------------------- MODULE guard_negated_conjunction ---------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == ~(x < 0 /\ x > 5) /\ x' = (x + 1) % 3
=============================================================================
