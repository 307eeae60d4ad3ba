---- MODULE dropped_view_inside ----
\* The state with w = 1 is inside the constraint, and its view has been seen: for TLC it is the same state, and not checked again.
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = 0 /\ w' = 1
V == x
Con == w < 2
Inv == w = 0
====
