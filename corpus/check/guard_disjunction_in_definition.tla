------------------ MODULE guard_disjunction_in_definition ------------------
EXTENDS Naturals
VARIABLE x
Free == x >= 0 \/ x < 5
Init == x = 0
Next == Free /\ x' = (x + 1) % 3
=============================================================================
