--------------------------- MODULE dining_ordered ---------------------------
\* The last philosopher takes the forks the other way round.
EXTENDS Naturals
N == 4
VARIABLES fork, state
Phil == 0..(N - 1)
Fork(p, k) == LET other == (p + 1) % N IN IF (k = 1) = (p < other) THEN p ELSE other
Init == fork = [p \in Phil |-> N] /\ state = [p \in Phil |-> 0]
Take(p) == /\ state[p] < 2
           /\ fork[Fork(p, state[p] + 1)] = N
           /\ fork' = [fork EXCEPT ![Fork(p, state[p] + 1)] = p]
           /\ state' = [state EXCEPT ![p] = @ + 1]
Put(p) == /\ state[p] = 2
          /\ fork' = [f \in Phil |-> IF fork[f] = p THEN N ELSE fork[f]]
          /\ state' = [state EXCEPT ![p] = 0]
Next == \E p \in Phil : Take(p) \/ Put(p)
Spec == Init /\ [][Next]_<<fork, state>>
Neighbours == \A p \in Phil : ~(state[p] = 2 /\ state[(p + 1) % N] = 2)
=============================================================================
