--------------------------- MODULE QuorumTheorems ---------------------------
(* What proofs about quorum systems extend. Proofs are not checked: of the theorems
   there is only the name. *)
EXTENDS Quorum, Integers, FiniteSets
-----------------------------------------------------------------------------
THEOREM QuorumsIntersect == TRUE
THEOREM QuorumSuperset == TRUE
THEOREM MajoritiesQuorumSystem == TRUE
=============================================================================
