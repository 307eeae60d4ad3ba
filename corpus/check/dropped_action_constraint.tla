---- MODULE dropped_action_constraint ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
AC == x' < 3
Inv == x # 3
====
