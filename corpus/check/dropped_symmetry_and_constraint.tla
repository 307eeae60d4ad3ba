---- MODULE dropped_symmetry_and_constraint ----
\* The state with b is the one with a, up to symmetry, but outside the constraint: it is checked.
EXTENDS TLC
CONSTANTS a, b
VARIABLE x
Init == x = a
Next == x' \in {a, b}
Perms == Permutations({a, b})
Con == x = a
Inv == x = a
====
