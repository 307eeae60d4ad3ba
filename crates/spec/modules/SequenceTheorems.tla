-------------------------- MODULE SequenceTheorems --------------------------
(* What proofs about sequences extend. The theorems are left out: proofs are not checked. *)
EXTENDS Sequences, Functions
=============================================================================
