------------------------------- MODULE Cache -------------------------------
(* A server keeps every number that its client sends, and says whether the latest is the largest so far. *)
EXTENDS Naturals

CONSTANTS
    Data,       \* the numbers that the client may send
    Nil         \* no answer yet

VARIABLES
    cache,      \* of the server: the numbers that it has seen
    answer,     \* of the client: what it was told last
    messages    \* what is under way between them

vars == <<cache, answer, messages>>

Largest(numbers) == CHOOSE n \in numbers : \A other \in numbers : other <= n

Init ==
    /\ cache = {}
    /\ answer = Nil
    /\ messages = {}

(* The client sends a number, and waits for the answer before it sends the next. *)
Request(n) ==
    /\ messages = {}
    /\ messages' = {[type |-> "request", number |-> n]}
    /\ UNCHANGED <<cache, answer>>

Respond(m) ==
    /\ m.type = "request"
    /\ cache' = cache \union {m.number}
    /\ messages' = {[type |-> "answer", text |-> IF m.number = Largest(cache') THEN "Max" ELSE "NotMax"]}
    /\ UNCHANGED answer

Receive(m) ==
    /\ m.type = "answer"
    /\ answer' = m.text
    /\ messages' = {}
    /\ UNCHANGED cache

Next ==
    \/ \E n \in Data : Request(n)
    \/ \E m \in messages : Respond(m)
    \/ \E m \in messages : Receive(m)

Spec == Init /\ [][Next]_vars

(* The server keeps nothing that was not sent, and the client knows nothing that it was not told. *)
Sound ==
    /\ cache \subseteq Data
    /\ cache = {} => answer = Nil
=============================================================================
