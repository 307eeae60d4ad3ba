---- MODULE constraint_init_all ----
EXTENDS Naturals
VARIABLE x
Init == x \in 0..2
Next == x' = x + 1
Con == x > 5
====
