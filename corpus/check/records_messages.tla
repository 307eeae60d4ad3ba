-------------------------- MODULE records_messages --------------------------
EXTENDS Naturals
VARIABLE msgs
Message == [type : {"req"}, from : 1..2] \cup [type : {"ack"}, from : 1..2, to : 1..2]
Init == msgs = {}
Request(p) == msgs' = msgs \cup {[type |-> "req", from |-> p]}
Ack(p, m) == m.type = "req" /\ m.from # p /\ msgs' = msgs \cup {[type |-> "ack", from |-> p, to |-> m.from]}
Next == \E p \in 1..2 : Request(p) \/ \E m \in msgs : Ack(p, m)
Typed == msgs \subseteq Message
=============================================================================
