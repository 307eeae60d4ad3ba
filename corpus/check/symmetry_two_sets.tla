------------------------- MODULE symmetry_two_sets -------------------------
EXTENDS TLC
CONSTANTS P, Q
VARIABLES at, seen
Sym == Permutations(P) \cup Permutations(Q)
Init == at \in [P -> Q] /\ seen = {}
Next == \E p \in P, q \in Q : at' = [at EXCEPT ![p] = q] /\ seen' = seen \cup {p}
=============================================================================
