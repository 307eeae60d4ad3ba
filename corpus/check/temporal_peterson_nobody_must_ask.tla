----------------- MODULE temporal_peterson_nobody_must_ask ------------------
\* Nobody is obliged to ask.
EXTENDS Naturals
VARIABLES pc, turn
vars == <<pc, turn>>
P == {0, 1}
Init == pc = [p \in P |-> "out"] /\ turn = 0
Ask(p) == pc[p] = "out" /\ pc' = [pc EXCEPT ![p] = "wait"] /\ turn' = 1 - p
Enter(p) == pc[p] = "wait" /\ (pc[1 - p] = "out" \/ turn = p) /\ pc' = [pc EXCEPT ![p] = "in"] /\ UNCHANGED turn
Leave(p) == pc[p] = "in" /\ pc' = [pc EXCEPT ![p] = "out"] /\ UNCHANGED turn
Step(p) == Enter(p) \/ Leave(p)
Next == \E p \in P : Ask(p) \/ Step(p)
Spec == Init /\ [][Next]_vars /\ \A p \in P : WF_vars(Step(p))
Everyone == \A p \in P : <>(pc[p] = "in")
=============================================================================
