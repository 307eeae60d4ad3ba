------------------------ MODULE temporal_token_ring -------------------------
\* A token goes round; who waits for it gets it.
EXTENDS Naturals
CONSTANT N
VARIABLES token, busy
vars == <<token, busy>>
Node == 0..(N - 1)
Init == token = 0 /\ busy = [i \in Node |-> FALSE]
Wake(i) == ~busy[i] /\ busy' = [busy EXCEPT ![i] = TRUE] /\ UNCHANGED token
Work(i) == token = i /\ busy[i] /\ busy' = [busy EXCEPT ![i] = FALSE] /\ token' = (i + 1) % N
Pass(i) == token = i /\ ~busy[i] /\ token' = (i + 1) % N /\ UNCHANGED busy
Next == \E i \in Node : Wake(i) \/ Work(i) \/ Pass(i)
Spec == Init /\ [][Next]_vars /\ WF_vars(\E i \in Node : Work(i) \/ Pass(i))
Served == \A i \in Node : busy[i] ~> ~busy[i]
=============================================================================
