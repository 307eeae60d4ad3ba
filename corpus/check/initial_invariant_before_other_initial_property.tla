---- MODULE initial_invariant_before_other_initial_property ----
\* The first initial state violates the property, the second one the invariant.
EXTENDS Naturals
VARIABLE x
Spec == x \in {0, 1} /\ [][x' = x]_x
Inv == x = 0
P == x = 1 /\ [][TRUE]_x
====
