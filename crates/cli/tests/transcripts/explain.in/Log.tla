---- MODULE Log ----
EXTENDS Naturals, Sequences
CONSTANT Replica
VARIABLES log, leader

Types == log \in [Replica -> Seq({1, 2})]
Init == log = [r \in Replica |-> <<>>] /\ leader = 1

Write(r, v) ==
  /\ Len(log[r]) < 3
  /\ v <= leader
  /\ log' = [log EXCEPT ![r] = Append(@, v)]
  /\ UNCHANGED leader

Copy(from, to) ==
  /\ from # to
  /\ Len(log[from]) > Len(log[to])
  /\ log[from][1] = 2
  /\ log' = [log EXCEPT ![to] = log[from]]
  /\ UNCHANGED leader

Elect ==
  /\ \E r \in Replica : Len(log[r]) > 1
  /\ leader < 3
  /\ leader' = leader + 1
  /\ UNCHANGED log

Next ==
  \/ \E r \in Replica, v \in 1..3 : Write(r, v)
  \/ \E from, to \in Replica : Copy(from, to)
  \/ Elect

Short(r) == Len(log[r]) < 2
AllShort == leader > 0 /\ \A r \in Replica : Short(r)
Sorted == \A r \in Replica : \A i \in 1..(Len(log[r]) - 1) : log[r][i] >= log[r][i + 1]
Known == leader > 1 => \E r \in Replica : log[r] # <<>> /\ log[r][1] > leader
Either == IF leader = 1 THEN TRUE ELSE leader = 3 \/ LET n == Len(log["a"]) IN n > 2
Grows == [][leader' = leader]_<<log, leader>>
====
