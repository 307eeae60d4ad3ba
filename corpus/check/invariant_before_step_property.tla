---- MODULE invariant_before_step_property ----
EXTENDS Naturals
VARIABLE x
Spec == x = 0 /\ [][x' = x + 1]_x
Inv == x = 0
Step == [][x' = x]_x
====
