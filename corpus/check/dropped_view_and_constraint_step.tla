---- MODULE dropped_view_and_constraint_step ----
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = 0 /\ w' = 1
V == x
Con == w = 0
Step == [][w' = w]_<<x, w>>
Spec == Init /\ [][Next]_<<x, w>>
====
