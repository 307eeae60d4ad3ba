---- MODULE cfg_constant_set_twice ----
\* Of two settings of one name the last one counts, and `<-` counts more than `=`.
EXTENDS Naturals
CONSTANTS N, S, D
VARIABLE x

Two == 2
Three == 3
Init == x = 0
Next == x < N + D /\ x' \in {x + 1, x + 2} /\ S = {"b"}
====
