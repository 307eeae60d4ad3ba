--------------------------- MODULE FunctionTheorems ---------------------------
(* What proofs about functions extend. The theorems are left out: proofs are not checked. *)
EXTENDS Functions, Integers, FiniteSets
=============================================================================
