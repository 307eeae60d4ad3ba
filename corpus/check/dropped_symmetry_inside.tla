---- MODULE dropped_symmetry_inside ----
\* Inside the constraints, the state with b is the one with a: TLC does not look at it.
EXTENDS TLC
CONSTANTS a, b
VARIABLE x
Init == x = a
Next == x' \in {a, b}
Perms == Permutations({a, b})
Inv == x = a
====
