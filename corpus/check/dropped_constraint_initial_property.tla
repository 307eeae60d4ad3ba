---- MODULE dropped_constraint_initial_property ----
EXTENDS Naturals
VARIABLE x
Init == x \in {0, 1}
Next == UNCHANGED x
Spec == Init /\ [][Next]_x
Con == x = 0
P == x = 0 /\ [][TRUE]_x
====
