------------------------- MODULE FiniteSetTheorems -------------------------
(* Definitions that proofs about finite sets refer to. The theorems are left out: proofs are not checked. *)
EXTENDS FiniteSets, Integers, Functions, WellFoundedInduction

FiniteSubsetsOf(S) == {T \in SUBSET S : IsFiniteSet(T)}

StrictSubsetOrdering(S) == {p \in (SUBSET S) \X (SUBSET S) : p[1] \subseteq p[2] /\ p[1] # p[2]}
=============================================================================
