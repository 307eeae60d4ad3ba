---------------------- MODULE temporal_lock_starvation ----------------------
\* A test-and-set lock starves under weak fairness.
EXTENDS Naturals
CONSTANT P
VARIABLES holder, pc
vars == <<holder, pc>>
Init == holder = "free" /\ pc = [p \in P |-> "idle"]
Try(p) == pc[p] = "idle" /\ pc' = [pc EXCEPT ![p] = "trying"] /\ UNCHANGED holder
Take(p) == pc[p] = "trying" /\ holder = "free" /\ holder' = p /\ pc' = [pc EXCEPT ![p] = "in"]
Drop(p) == pc[p] = "in" /\ holder' = "free" /\ pc' = [pc EXCEPT ![p] = "idle"]
Next == \E p \in P : Try(p) \/ Take(p) \/ Drop(p)
Spec == Init /\ [][Next]_vars /\ \A p \in P : WF_vars(Try(p)) /\ WF_vars(Take(p)) /\ WF_vars(Drop(p))
Gets == \A p \in P : (pc[p] = "trying") ~> (pc[p] = "in")
=============================================================================
