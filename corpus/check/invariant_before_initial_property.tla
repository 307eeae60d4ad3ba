---- MODULE invariant_before_initial_property ----
EXTENDS Naturals
VARIABLE x
Spec == x = 0 /\ [][x' = x + 1]_x
Inv == x = 1
P == x = 1 /\ [][TRUE]_x
====
