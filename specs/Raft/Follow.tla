------------------------------- MODULE Follow -------------------------------
(* Raft for the logs of a cluster that nobody controls: clients write what they want, as often as they want. *)
EXTENDS Raft, TLC

(* A client asks leader i to write this value. *)
Request(i, value) ==
    /\ count.requests < MaxRequests
    /\ Write(i, value)

(* In place of Take, for a network that may bring any message again: nothing is taken away. *)
Left(bag, m) == bag

FollowNext == Next \/ \E i \in Server, value \in Any : Request(i, value)

FollowSpec == Init /\ [][FollowNext]_vars
=============================================================================
