-------------------------------- MODULE Lock --------------------------------
(* A server lends one lock to clients, in the order in which they ask. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Server,
    Client,      \* the clients that take part
    Nobody,      \* the lock is free
    Crowd,       \* how many clients want the lock at the same time, in this model
    Rounds       \* how often a client asks, in this model

VARIABLES
    holds,       \* of each client: whether it has the lock
    asked,       \* of each client: whether it has asked for it, and waits
    holder,      \* of the server: who has the lock
    waiting,     \* of the server: who waits for it
    messages,    \* what is under way
    rounds       \* of each client: how often it has asked; it keeps the model finite

vars == <<holds, asked, holder, waiting, messages, rounds>>

Init ==
    /\ holds = [c \in Client |-> FALSE]
    /\ asked = [c \in Client |-> FALSE]
    /\ holder = Nobody
    /\ waiting = <<>>
    /\ messages = {}
    /\ rounds = [c \in Client |-> 0]

Message(type, from, to) == [type |-> type, from |-> from, to |-> to]

(* A client wants the lock. *)
Ask(c) ==
    /\ ~holds[c] /\ ~asked[c]
    /\ rounds[c] < Rounds
    /\ Cardinality({other \in Client : holds[other] \/ asked[other]}) < Crowd
    /\ asked' = [asked EXCEPT ![c] = TRUE]
    /\ rounds' = [rounds EXCEPT ![c] = @ + 1]
    /\ messages' = messages \union {Message("ask", c, Server)}
    /\ UNCHANGED <<holds, holder, waiting>>

(* The server grants the lock, or lets the client wait. *)
HandleAsk(m) ==
    /\ m.type = "ask"
    /\ IF holder = Nobody
       THEN /\ holder' = m.from
            /\ messages' = (messages \ {m}) \union {Message("grant", Server, m.from)}
            /\ UNCHANGED waiting
       ELSE /\ waiting' = Append(waiting, m.from)
            /\ messages' = messages \ {m}
            /\ UNCHANGED holder
    /\ UNCHANGED <<holds, asked, rounds>>

(* A client has the lock. *)
HandleGrant(m) ==
    /\ m.type = "grant"
    /\ holds' = [holds EXCEPT ![m.to] = TRUE]
    /\ asked' = [asked EXCEPT ![m.to] = FALSE]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<holder, waiting, rounds>>

(* It gives the lock back. *)
Release(c) ==
    /\ holds[c]
    /\ holds' = [holds EXCEPT ![c] = FALSE]
    /\ messages' = messages \union {Message("release", c, Server)}
    /\ UNCHANGED <<asked, holder, waiting, rounds>>

(* The next one gets it. *)
HandleRelease(m) ==
    /\ m.type = "release"
    /\ IF waiting = <<>>
       THEN /\ holder' = Nobody
            /\ messages' = messages \ {m}
            /\ UNCHANGED waiting
       ELSE /\ holder' = Head(waiting)
            /\ waiting' = Tail(waiting)
            /\ messages' = (messages \ {m}) \union {Message("grant", Server, Head(waiting))}
    /\ UNCHANGED <<holds, asked, rounds>>

Next ==
    \/ \E c \in Client : Ask(c) \/ Release(c)
    \/ \E m \in messages : HandleAsk(m) \/ HandleGrant(m) \/ HandleRelease(m)

Spec == Init /\ [][Next]_vars

OneHolds == \A a, b \in Client : holds[a] /\ holds[b] => a = b
=============================================================================
