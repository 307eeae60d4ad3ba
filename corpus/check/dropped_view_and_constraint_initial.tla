---- MODULE dropped_view_and_constraint_initial ----
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w \in {0, 1}
Next == UNCHANGED <<x, w>>
V == x
Con == w = 0
Inv == w = 0
====
