------------------------------- MODULE Follow -------------------------------
(* RaftRs for the logs of nodes that nobody controls: clients write what they want, as often as they want. *)
EXTENDS RaftRs, TLC

(* A client asks leader i to write this value. *)
Request(i, value) ==
    /\ role[i] = "Leader"
    /\ LET lg == Append(log[i], [term |-> term[i], value |-> value]) IN
       /\ log' = [log EXCEPT ![i] = lg]
       /\ Broadcast(i, Others(i), progress[i], lg, commit[i], messages)
    /\ UNCHANGED <<term, vote, commit, compacted, voters, role, leader, votes, counters>>

(* As Agreed, for long logs: only what some node is known to have can be the largest index that a majority has. *)
AgreedOfFew(i, known, lg, members) ==
    LET have(k) == {i} \union {j \in DOMAIN known : known[j].matched >= k}
        few == {k \in {0} \union {known[j].matched : j \in DOMAIN known} : k <= Len(lg) /\ Majority(have(k), members)}
    IN CHOOSE k \in few : \A n \in few : n <= k

FollowNext == Next \/ \E i \in Server, value \in Any : Request(i, value)

FollowSpec == Init /\ [][FollowNext]_vars
=============================================================================
