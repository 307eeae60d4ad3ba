-------------------------------- MODULE Mutex --------------------------------
(* Two nodes share a token. Whoever has it may be inside. A node that wants it asks the other one, which passes it on as soon as it is outside. *)
EXTENDS Naturals

CONSTANTS Node, First

VARIABLES
    token,      \* of each node: whether it has the token
    inside,     \* of each node: whether it is inside
    wanted,     \* of each node: whether the other one waits for the token
    phase,      \* of each node: "before", "waits", "inside" or "after"
    messages    \* what is under way

vars == <<token, inside, wanted, phase, messages>>

Other(n) == CHOOSE other \in Node : other # n
Packet(kind, n) == [kind |-> kind, from |-> n, to |-> Other(n)]

Init ==
    /\ token = [n \in Node |-> n = First]
    /\ inside = [n \in Node |-> FALSE]
    /\ wanted = [n \in Node |-> FALSE]
    /\ phase = [n \in Node |-> "before"]
    /\ messages = {}

Acquire(n) ==
    /\ phase[n] = "before"
    /\ phase' = [phase EXCEPT ![n] = IF token[n] THEN "inside" ELSE "waits"]
    /\ inside' = [inside EXCEPT ![n] = token[n]]
    /\ messages' = IF token[n] THEN messages ELSE messages \union {Packet("request", n)}
    /\ UNCHANGED <<token, wanted>>

Release(n) ==
    /\ phase[n] = "inside"
    /\ phase' = [phase EXCEPT ![n] = "after"]
    /\ inside' = [inside EXCEPT ![n] = FALSE]
    /\ wanted' = [wanted EXCEPT ![n] = FALSE]
    /\ token' = [token EXCEPT ![n] = ~wanted[n]]
    /\ messages' = IF wanted[n] THEN messages \union {Packet("token", n)} ELSE messages

(* The other node wants the token. *)
OnRequest(m) ==
    /\ m.kind = "request"
    /\ LET n == m.to
           passes == token[n] /\ ~inside[n]
       IN  /\ token' = [token EXCEPT ![n] = @ /\ ~passes]
           /\ wanted' = [wanted EXCEPT ![n] = ~passes]
           /\ messages' = (messages \ {m}) \union (IF passes THEN {Packet("token", n)} ELSE {})
    /\ UNCHANGED <<inside, phase>>

(* The token comes. If the node waits for it, it goes in at once. *)
OnToken(m) ==
    /\ m.kind = "token"
    /\ token' = [token EXCEPT ![m.to] = TRUE]
    /\ inside' = [inside EXCEPT ![m.to] = phase[m.to] = "waits"]
    /\ phase' = [phase EXCEPT ![m.to] = IF @ = "waits" THEN "inside" ELSE @]
    /\ messages' = messages \ {m}
    /\ UNCHANGED wanted

Next ==
    \/ \E n \in Node : Acquire(n)
    \/ \E n \in Node : Release(n)
    \/ \E m \in messages : OnRequest(m)
    \/ \E m \in messages : OnToken(m)

Spec == Init /\ [][Next]_vars

OneInside == \A a, b \in Node : inside[a] /\ inside[b] => a = b
=============================================================================
