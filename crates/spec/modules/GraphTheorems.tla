--------------------------- MODULE GraphTheorems ---------------------------
(* What proofs about graphs extend. The theorems are left out: proofs are not checked. *)
EXTENDS Graphs, Sequences
=============================================================================
