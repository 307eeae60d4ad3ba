--------------------------- MODULE mutex_peterson ---------------------------
\* Peterson's algorithm for two processes.
EXTENDS Naturals
VARIABLES flag, turn, pc
vars == <<flag, turn, pc>>
P == {0, 1}
Other(p) == 1 - p
Init == flag = [p \in P |-> FALSE] /\ turn \in P /\ pc = [p \in P |-> "idle"]
Raise(p) == pc[p] = "idle" /\ flag' = [flag EXCEPT ![p] = TRUE] /\ pc' = [pc EXCEPT ![p] = "give"] /\ UNCHANGED turn
Give(p) == pc[p] = "give" /\ turn' = Other(p) /\ pc' = [pc EXCEPT ![p] = "wait"] /\ UNCHANGED flag
Enter(p) == /\ pc[p] = "wait"
            /\ ~flag[Other(p)] \/ turn = p
            /\ pc' = [pc EXCEPT ![p] = "critical"]
            /\ UNCHANGED <<flag, turn>>
Leave(p) == pc[p] = "critical" /\ flag' = [flag EXCEPT ![p] = FALSE] /\ pc' = [pc EXCEPT ![p] = "idle"] /\ UNCHANGED turn
Next == \E p \in P : Raise(p) \/ Give(p) \/ Enter(p) \/ Leave(p)
Spec == Init /\ [][Next]_vars
Mutex == ~(pc[0] = "critical" /\ pc[1] = "critical")
=============================================================================
