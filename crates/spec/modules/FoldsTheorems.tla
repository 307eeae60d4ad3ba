--------------------------- MODULE FoldsTheorems ---------------------------
(* What proofs about folds extend. Proofs are not checked: of the theorems
   there is only the name. *)
EXTENDS Folds, FiniteSets
-----------------------------------------------------------------------------
THEOREM MapThenFoldSetDef == TRUE
THEOREM MapThenFoldSetEmpty == TRUE
THEOREM MapThenFoldSetNonempty == TRUE
THEOREM MapThenFoldSetBijection == TRUE
THEOREM MapThenFoldSetEqual == TRUE
THEOREM MapThenFoldSetType == TRUE
THEOREM MapThenFoldSetAC == TRUE
THEOREM MapThenFoldSetACAddElement == TRUE
THEOREM MapThenFoldSetDisjointUnion == TRUE
=============================================================================
