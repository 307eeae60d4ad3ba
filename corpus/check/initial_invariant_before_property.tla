---- MODULE initial_invariant_before_property ----
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == x' = x
Inv == x = 0
P == x = 0
====
