--------------------------- MODULE FoldsTheorems ---------------------------
(* What proofs about folds extend. The theorems are left out: proofs are not checked. *)
EXTENDS Folds, FiniteSets
=============================================================================
