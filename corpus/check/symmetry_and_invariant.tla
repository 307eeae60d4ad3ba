----------------------- MODULE symmetry_and_invariant -----------------------
EXTENDS TLC, FiniteSets, Naturals
CONSTANT P
VARIABLE in
Sym == Permutations(P)
Init == in = {}
Next == \E p \in P : in' = in \cup {p} /\ Cardinality(in) < 3
Inv == Cardinality(in) < 3
=============================================================================
