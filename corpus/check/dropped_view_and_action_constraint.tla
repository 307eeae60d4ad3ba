---- MODULE dropped_view_and_action_constraint ----
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = 0 /\ w' = 1
V == x
AC == w' = 0
Inv == w = 0
====
