------------------------------- MODULE bakery -------------------------------
\* Lamport's bakery with atomic choosing of a number, bounded by a constraint.
EXTENDS Naturals
VARIABLES num, pc
vars == <<num, pc>>
P == 1..3
Max(f) == CHOOSE m \in {f[p] : p \in P} : \A q \in P : f[q] <= m
Before(p, q) == num[p] < num[q] \/ (num[p] = num[q] /\ p < q)
Init == num = [p \in P |-> 0] /\ pc = [p \in P |-> "idle"]
Take(p) == pc[p] = "idle" /\ num' = [num EXCEPT ![p] = Max(num) + 1] /\ pc' = [pc EXCEPT ![p] = "wait"]
Enter(p) == /\ pc[p] = "wait"
            /\ \A q \in P \ {p} : num[q] = 0 \/ Before(p, q)
            /\ pc' = [pc EXCEPT ![p] = "cs"]
            /\ UNCHANGED num
Leave(p) == pc[p] = "cs" /\ num' = [num EXCEPT ![p] = 0] /\ pc' = [pc EXCEPT ![p] = "idle"]
Next == \E p \in P : Take(p) \/ Enter(p) \/ Leave(p)
Spec == Init /\ [][Next]_vars
Small == \A p \in P : num[p] <= 5
Mutex == \A p, q \in P : p # q => ~(pc[p] = "cs" /\ pc[q] = "cs")
=============================================================================
