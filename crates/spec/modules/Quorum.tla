-------------------------------- MODULE Quorum --------------------------------
(* Quorum systems: sets of subsets of S that intersect pairwise, closed under larger sets. *)
QuorumSystem(S) ==
  {QS \in SUBSET SUBSET S :
     /\ QS # {}
     /\ \A P, Q \in QS : P \cap Q # {}
     /\ \A Q \in QS : \A P \in SUBSET S : Q \subseteq P => P \in QS}
=============================================================================
