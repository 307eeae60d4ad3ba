---- MODULE Lock ----
EXTENDS Naturals
CONSTANT P
VARIABLE pc
Init == pc = [p \in P |-> "try"]
Enter(p) == pc[p] = "try" /\ (\A q \in P : pc[q] # "cs") /\ pc' = [pc EXCEPT ![p] = "cs"]
Leave(p) == pc[p] = "cs" /\ pc' = [pc EXCEPT ![p] = "try"]
Next == \E p \in P : Enter(p) \/ Leave(p)
Spec == Init /\ [][Next]_pc /\ \A p \in P : WF_pc(Enter(p)) /\ WF_pc(Leave(p))
Prop == \A p \in P : <>(pc[p] = "cs")
====
