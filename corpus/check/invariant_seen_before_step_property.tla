---- MODULE invariant_seen_before_step_property ----
\* The step that violates the property leads to a view that has been seen, so the invariant is not asked for.
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = 0 /\ w' = 1
Spec == Init /\ [][Next]_<<x, w>>
V == x
Inv == w = 0
Step == [][w' = w]_<<x, w>>
====
