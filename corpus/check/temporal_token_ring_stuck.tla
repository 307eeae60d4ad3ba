--------------------- MODULE temporal_token_ring_stuck ----------------------
\* Passing on is fair for each node but the second.
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
Spec == /\ Init /\ [][Next]_vars
        /\ \A i \in Node \ {1} : WF_vars(Work(i) \/ Pass(i)) /\ WF_vars(Wake(i))
Served == \A i \in Node : busy[i] ~> ~busy[i]
=============================================================================
