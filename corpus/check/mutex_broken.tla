---------------------------- MODULE mutex_broken ----------------------------
\* The flags alone: tested before raised.
EXTENDS Naturals
VARIABLES flag, pc
vars == <<flag, pc>>
P == {0, 1}
Init == flag = [p \in P |-> FALSE] /\ pc = [p \in P |-> "test"]
Test(p) == pc[p] = "test" /\ ~flag[1 - p] /\ pc' = [pc EXCEPT ![p] = "raise"] /\ UNCHANGED flag
Raise(p) == pc[p] = "raise" /\ flag' = [flag EXCEPT ![p] = TRUE] /\ pc' = [pc EXCEPT ![p] = "critical"]
Leave(p) == pc[p] = "critical" /\ flag' = [flag EXCEPT ![p] = FALSE] /\ pc' = [pc EXCEPT ![p] = "test"]
Next == \E p \in P : Test(p) \/ Raise(p) \/ Leave(p)
Spec == Init /\ [][Next]_vars
Mutex == ~(pc[0] = "critical" /\ pc[1] = "critical")
=============================================================================
