------------------------ MODULE guard_exists_counts ------------------------
\* Each witness of an existential quantifier in a guard is a choice.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == (\E i \in 1..3 : i > x) /\ x' = (x + 1) % 3
=============================================================================
