--------------------- MODULE temporal_queue_refines_bag ---------------------
\* A queue refines a bag that loses nothing: the mapping forgets the order.
EXTENDS Naturals, Sequences
VARIABLES q, out
vars == <<q, out>>
Init == q = <<>> /\ out = {}
Put(i) == i \notin out /\ (\A k \in DOMAIN q : q[k] # i) /\ q' = Append(q, i) /\ UNCHANGED out
Get == q # <<>> /\ out' = out \cup {Head(q)} /\ q' = Tail(q)
Next == Get \/ \E i \in 1..3 : Put(i)
Spec == Init /\ [][Next]_vars /\ WF_vars(Get)
Bag == INSTANCE temporal_queue_bag WITH held <- {q[k] : k \in DOMAIN q}, gone <- out
Refines == Bag!Spec
Served == Bag!Served
=============================================================================
