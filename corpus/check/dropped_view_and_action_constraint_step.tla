---- MODULE dropped_view_and_action_constraint_step ----
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = 0 /\ w' = 1
V == x
AC == w' = w
Step == [][w' = w]_<<x, w>>
Spec == Init /\ [][Next]_<<x, w>>
====
