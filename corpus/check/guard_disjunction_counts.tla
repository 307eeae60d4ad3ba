---------------------- MODULE guard_disjunction_counts ----------------------
\* A state that both sides of a disjunction lead to is generated twice.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == (x >= 0 \/ x < 5) /\ x' = (x + 1) % 3
=============================================================================
