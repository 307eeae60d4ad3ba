------------------------- MODULE temporal_queue_bag -------------------------
\* What temporal_queue_refines_bag refines.
EXTENDS Naturals
VARIABLES held, gone
Init == held = {} /\ gone = {}
Put(i) == i \notin held \cup gone /\ held' = held \cup {i} /\ gone' = gone
Get == \E i \in held : held' = held \ {i} /\ gone' = gone \cup {i}
Next == Get \/ \E i \in 1..3 : Put(i)
Spec == Init /\ [][Next]_<<held, gone>> /\ WF_<<held, gone>>(Get)
Served == \A i \in 1..3 : (i \in held) ~> (i \in gone)
=============================================================================
