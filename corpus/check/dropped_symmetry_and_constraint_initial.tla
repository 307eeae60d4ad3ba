---- MODULE dropped_symmetry_and_constraint_initial ----
EXTENDS TLC
CONSTANTS a, b
VARIABLE x
Init == x \in {a, b}
Next == UNCHANGED x
Perms == Permutations({a, b})
Con == x = a
Inv == x = a
====
