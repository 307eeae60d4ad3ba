--------------------------- MODULE QuorumTheorems ---------------------------
(* What proofs about quorum systems extend. The theorems are left out: proofs are not checked. *)
EXTENDS Quorum, Integers, FiniteSets
=============================================================================
