---- MODULE dropped_view_initial_property ----
\* The second initial state has a view that has been seen: TLC does not ask whether the property holds in it.
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w \in {0, 1}
Next == UNCHANGED <<x, w>>
Spec == Init /\ [][Next]_<<x, w>>
V == x
P == w = 0 /\ [][TRUE]_x
====
