----------------------------- MODULE BagsTheorems -----------------------------
(* Definitions that proofs about bags refer to. The theorems are left out: proofs are not checked. *)
EXTENDS Bags
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

(* n times as many copies of everything. *)
Scaling(n, B) == IF n > 0 THEN [e \in DOMAIN B |-> n * B[e]] ELSE EmptyBag

SeqToBag(seq) == [e \in {seq[i] : i \in DOMAIN seq} |-> Cardinality({i \in DOMAIN seq : seq[i] = e})]
=============================================================================
