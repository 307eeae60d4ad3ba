------------------------ MODULE raft_election_broken ------------------------
\* Voters forget whom they voted for.
EXTENDS Naturals, FiniteSets
CONSTANTS Server, Nil
VARIABLES role, votes
Init == role = [s \in Server |-> "follower"] /\ votes = [s \in Server |-> {}]
Run(s) == role[s] = "follower" /\ role' = [role EXCEPT ![s] = "candidate"] /\ votes' = [votes EXCEPT ![s] = {s}]
Vote(s, t) == s # t /\ role[t] = "candidate" /\ votes' = [votes EXCEPT ![t] = @ \cup {s}] /\ UNCHANGED role
Win(s) == role[s] = "candidate" /\ Cardinality(votes[s]) >= 2 /\ role' = [role EXCEPT ![s] = "leader"] /\ UNCHANGED votes
Next == \E s \in Server : Run(s) \/ Win(s) \/ \E t \in Server : Vote(s, t)
Spec == Init /\ [][Next]_<<role, votes>>
OneLeader == Cardinality({s \in Server : role[s] = "leader"}) <= 1
=============================================================================
