------------------------------- MODULE Shapes -------------------------------
(* One step for each kind of change that a trace shows. *)
EXTENDS Naturals, Sequences, TLC
VARIABLES step, set, queue, map, nested
vars == <<step, set, queue, map, nested>>

Message(n) == [type |-> "request", number |-> n, body |-> <<"some", "words">>]
Init ==
    /\ step = 0
    /\ set = {Message(n) : n \in 1..3}
    /\ queue = [n \in 1..4 |-> Message(n)]
    /\ map = 10 :> "a rather long text" @@ 20 :> "another rather long text"
    /\ nested = [node \in {"a", "b c"} |-> [log |-> <<>>, peers |-> {}]]

At(n) == step = n /\ step' = n + 1
Gain == At(0) /\ set' = set \cup {Message(4)} /\ UNCHANGED <<queue, map, nested>>
Swap == At(1) /\ set' = (set \ {Message(1)}) \cup {Message(5)} /\ UNCHANGED <<queue, map, nested>>
Enqueue == At(2) /\ queue' = Append(queue, Message(5)) /\ UNCHANGED <<set, map, nested>>
Dequeue == At(3) /\ queue' = Tail(queue) /\ UNCHANGED <<set, map, nested>>
Alter == At(4) /\ queue' = [queue EXCEPT ![2].number = 99] /\ UNCHANGED <<set, map, nested>>
Extend == At(5) /\ map' = map @@ (30 :> "a third text, as long as the others") /\ UNCHANGED <<set, queue, nested>>
Shrink == At(6) /\ map' = [n \in {10, 30} |-> map[n]] /\ UNCHANGED <<set, queue, nested>>
Deep == At(7) /\ nested' = [nested EXCEPT !["a"].log = <<1>>, !["b c"].peers = {"a"}] /\ UNCHANGED <<set, queue, map>>
Replace == At(8) /\ nested' = [n \in {1} |-> [log |-> <<Message(1), Message(2)>>, peers |-> {}]] /\ UNCHANGED <<set, queue, map>>

Next ==
    \/ Gain \/ Swap \/ Enqueue \/ Dequeue \/ Alter \/ Extend \/ Shrink \/ Deep \/ Replace
=============================================================================
