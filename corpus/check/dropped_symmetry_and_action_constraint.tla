---- MODULE dropped_symmetry_and_action_constraint ----
EXTENDS TLC
CONSTANTS a, b
VARIABLE x
Init == x = a
Next == x' \in {a, b}
Perms == Permutations({a, b})
AC == x' = x
Inv == x = a
====
