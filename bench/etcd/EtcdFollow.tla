---- MODULE EtcdFollow ----
\* etcd's specification, from the state in which its sample log begins.
EXTENDS etcdraft

Booted(i) == i \in InitServer
Entry == [term |-> 1, type |-> ConfigEntry, value |-> [newconf |-> InitServer, learners |-> {}]]

BootedServerVars ==
    /\ currentTerm = [i \in Server |-> IF Booted(i) THEN 1 ELSE 0]
    /\ state = [i \in Server |-> Follower]
    /\ votedFor = [i \in Server |-> Nil]
BootedLogVars ==
    /\ log = [i \in Server |-> IF Booted(i) THEN [k \in 1..Cardinality(InitServer) |-> Entry] ELSE <<>>]
    /\ commitIndex = [i \in Server |-> IF Booted(i) THEN Cardinality(InitServer) ELSE 0]
BootedConfigVars ==
    /\ config = [i \in Server |-> [jointConfig |-> <<IF Booted(i) THEN InitServer ELSE {}, {}>>, learners |-> {}]]
    /\ reconfigCount = 0
====
