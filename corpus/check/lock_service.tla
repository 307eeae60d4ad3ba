---------------------------- MODULE lock_service ----------------------------
\* A lock server with leases; messages are records in a set that is emptied on delivery.
EXTENDS Naturals, FiniteSets
CONSTANTS Client, NoOne
VARIABLES holder, net, state
vars == <<holder, net, state>>
Init == holder = NoOne /\ net = {} /\ state = [c \in Client |-> "idle"]
Ask(c) == state[c] = "idle" /\ state' = [state EXCEPT ![c] = "wait"] /\ net' = net \cup {<<"ask", c>>} /\ UNCHANGED holder
Grant(c) == /\ <<"ask", c>> \in net
            /\ holder = NoOne
            /\ holder' = c
            /\ net' = (net \ {<<"ask", c>>}) \cup {<<"grant", c>>}
            /\ UNCHANGED state
Get(c) == <<"grant", c>> \in net /\ state' = [state EXCEPT ![c] = "hold"] /\ net' = net \ {<<"grant", c>>} /\ UNCHANGED holder
Release(c) == state[c] = "hold" /\ state' = [state EXCEPT ![c] = "idle"] /\ net' = net \cup {<<"free", c>>} /\ UNCHANGED holder
Free(c) == <<"free", c>> \in net /\ holder' = NoOne /\ net' = net \ {<<"free", c>>} /\ UNCHANGED state
Next == \E c \in Client : Ask(c) \/ Grant(c) \/ Get(c) \/ Release(c) \/ Free(c)
Spec == Init /\ [][Next]_vars
Mutex == Cardinality({c \in Client : state[c] = "hold"}) <= 1
TypeOk == holder \in Client \cup {NoOne} /\ net \subseteq {"ask", "grant", "free"} \X Client
=============================================================================
