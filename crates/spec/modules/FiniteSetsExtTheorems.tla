--------------------------- MODULE FiniteSetsExtTheorems ---------------------------
(* What proofs about finite sets extend. The theorems are left out: proofs are not checked. *)
EXTENDS FiniteSetsExt, FiniteSets, Integers
=============================================================================
