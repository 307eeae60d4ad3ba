---------------------------- MODULE MissingReply ----------------------------
(* Raft with a mistake that the published specification had: a candidate that hears of the leader of its term returns to the *)
(* followers and leaves the message where it is, to be taken in and answered by another step. Implementations do it in one.  *)
EXTENDS Raft

No == FALSE
=============================================================================
