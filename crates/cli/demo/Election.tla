------------------------------ MODULE Election ------------------------------
(* Nodes elect a leader. A candidate votes for itself and asks the others; who has not voted yet votes for the first that asks. *)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Node,        \* all nodes
    Candidate,   \* the nodes that may stand in this model
    Nil          \* no vote yet

VARIABLES
    votedFor,    \* of each node: for whom it has voted
    votes,       \* of each node: who has voted for it
    leader,      \* of each node: whether it leads
    messages     \* what is under way between them

vars == <<votedFor, votes, leader, messages>>

Init ==
    /\ votedFor = [n \in Node |-> Nil]
    /\ votes = [n \in Node |-> {}]
    /\ leader = [n \in Node |-> FALSE]
    /\ messages = {}

(* Node n becomes a candidate. *)
Stand(n) ==
    /\ votedFor[n] = Nil
    /\ votedFor' = [votedFor EXCEPT ![n] = n]
    /\ votes' = [votes EXCEPT ![n] = {n}]
    /\ messages' = messages \union {[type |-> "ask", from |-> n, to |-> other] : other \in Node \ {n}}
    /\ UNCHANGED leader

(* A node is asked for its vote. It has one, and answers only if it gives it. *)
Vote(m) ==
    /\ m.type = "ask"
    /\ IF votedFor[m.to] = Nil
       THEN /\ votedFor' = [votedFor EXCEPT ![m.to] = m.from]
            /\ messages' = (messages \ {m}) \union {[type |-> "vote", from |-> m.to, to |-> m.from]}
       ELSE /\ messages' = messages \ {m}
            /\ UNCHANGED votedFor
    /\ UNCHANGED <<votes, leader>>

(* A candidate counts a vote, and leads as soon as more than half of the nodes are for it. *)
Count(m) ==
    /\ m.type = "vote"
    /\ votes' = [votes EXCEPT ![m.to] = @ \union {m.from}]
    /\ leader' = [leader EXCEPT ![m.to] = 2 * Cardinality(votes'[m.to]) > Cardinality(Node)]
    /\ messages' = messages \ {m}
    /\ UNCHANGED votedFor

Next ==
    \/ \E n \in Candidate : Stand(n)
    \/ \E m \in messages : Vote(m)
    \/ \E m \in messages : Count(m)

Spec == Init /\ [][Next]_vars

OneLeader == \A a, b \in Node : leader[a] /\ leader[b] => a = b
=============================================================================
