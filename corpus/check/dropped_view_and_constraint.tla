---- MODULE dropped_view_and_constraint ----
\* The successor is outside the constraint, and its view has been seen: it is checked all the same.
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = 0 /\ w' = 1
V == x
Con == w = 0
Inv == w = 0
====
