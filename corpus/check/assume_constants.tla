-------------------------- MODULE assume_constants --------------------------
EXTENDS Naturals, FiniteSets
CONSTANTS N, S
ASSUME N \in Nat /\ N > Cardinality(S)
ASSUME /\ S \subseteq 1..N
       /\ \A x \in S : x > 0
VARIABLE x
Init == x \in S
Next == x' = IF x < N THEN x + 1 ELSE 1
=============================================================================
