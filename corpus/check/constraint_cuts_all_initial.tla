---- MODULE constraint_cuts_all_initial ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = x + 1
C == x > 0
====
