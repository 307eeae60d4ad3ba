--------------------------- MODULE raft_election ---------------------------
\* Leader election of Raft, without logs.
EXTENDS Naturals, FiniteSets
CONSTANTS Server, MaxTerm, Nil
VARIABLES term, role, votedFor, msgs
vars == <<term, role, votedFor, msgs>>
Majority == {Q \in SUBSET Server : Cardinality(Q) * 2 > Cardinality(Server)}
Init == /\ term = [s \in Server |-> 0]
        /\ role = [s \in Server |-> "follower"]
        /\ votedFor = [s \in Server |-> Nil]
        /\ msgs = {}
Timeout(s) == /\ role[s] # "leader"
              /\ term[s] < MaxTerm
              /\ term' = [term EXCEPT ![s] = @ + 1]
              /\ role' = [role EXCEPT ![s] = "candidate"]
              /\ votedFor' = [votedFor EXCEPT ![s] = s]
              /\ msgs' = msgs \cup {[type |-> "ask", term |-> term[s] + 1, from |-> s],
                                    [type |-> "vote", term |-> term[s] + 1, from |-> s, to |-> s]}
Vote(s, m) == /\ m.type = "ask"
              /\ m.from # s
              /\ \/ m.term > term[s]
                 \/ m.term = term[s] /\ votedFor[s] = Nil
              /\ term' = [term EXCEPT ![s] = m.term]
              /\ votedFor' = [votedFor EXCEPT ![s] = m.from]
              /\ role' = [role EXCEPT ![s] = "follower"]
              /\ msgs' = msgs \cup {[type |-> "vote", term |-> m.term, from |-> s, to |-> m.from]}
Win(s) == /\ role[s] = "candidate"
          /\ \E Q \in Majority : \A q \in Q : [type |-> "vote", term |-> term[s], from |-> q, to |-> s] \in msgs
          /\ role' = [role EXCEPT ![s] = "leader"]
          /\ UNCHANGED <<term, votedFor, msgs>>
Next == \E s \in Server : Timeout(s) \/ Win(s) \/ \E m \in msgs : Vote(s, m)
Spec == Init /\ [][Next]_vars
OneLeader == \A s, t \in Server : s # t /\ role[s] = "leader" /\ role[t] = "leader" => term[s] # term[t]
TypeOk == term \in [Server -> 0..MaxTerm]
=============================================================================
