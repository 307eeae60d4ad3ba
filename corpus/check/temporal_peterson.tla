------------------------- MODULE temporal_peterson --------------------------
\* Peterson's mutual exclusion: who wants to enter does, by weak fairness alone.
EXTENDS Naturals
VARIABLES pc, want, turn
vars == <<pc, want, turn>>
P == {0, 1}
Init == pc = [p \in P |-> "out"] /\ want = [p \in P |-> FALSE] /\ turn = 0
Ask(p) == /\ pc[p] = "out"
          /\ pc' = [pc EXCEPT ![p] = "give"]
          /\ want' = [want EXCEPT ![p] = TRUE]
          /\ UNCHANGED turn
Give(p) == /\ pc[p] = "give"
           /\ pc' = [pc EXCEPT ![p] = "wait"]
           /\ turn' = 1 - p
           /\ UNCHANGED want
Enter(p) == /\ pc[p] = "wait"
            /\ ~want[1 - p] \/ turn = p
            /\ pc' = [pc EXCEPT ![p] = "in"]
            /\ UNCHANGED <<want, turn>>
Leave(p) == /\ pc[p] = "in"
            /\ pc' = [pc EXCEPT ![p] = "out"]
            /\ want' = [want EXCEPT ![p] = FALSE]
            /\ UNCHANGED turn
Next == \E p \in P : Ask(p) \/ Give(p) \/ Enter(p) \/ Leave(p)
Fair(p) == WF_vars(Give(p)) /\ WF_vars(Enter(p)) /\ WF_vars(Leave(p))
Spec == Init /\ [][Next]_vars /\ \A p \in P : Fair(p)
Exclusive == ~(pc[0] = "in" /\ pc[1] = "in")
Enters == \A p \in P : (pc[p] = "give") ~> (pc[p] = "in")
=============================================================================
