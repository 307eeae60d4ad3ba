---------------------------- MODULE Randomization ----------------------------
(* Random subsets, mostly for initial predicates. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

(* A subset of S with k elements. *)
RandomSubset(k, S) == CHOOSE T \in SUBSET S : Cardinality(T) = k

(* At most k subsets of S, of n elements on average. *)
RandomSetOfSubsets(k, n, S) == CHOOSE T \in SUBSET SUBSET S : Cardinality(T) <= k

(* How many subsets five tries of RandomSetOfSubsets give. *)
TestRandomSetOfSubsets(k, n, S) == [i \in 1..5 |-> Cardinality(RandomSetOfSubsets(k, n, S))]
=============================================================================
