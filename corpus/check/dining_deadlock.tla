-------------------------- MODULE dining_deadlock --------------------------
\* Philosophers who take the left fork first.
EXTENDS Naturals
N == 3
VARIABLES fork, state
Phil == 0..(N - 1)
Right(p) == (p + 1) % N
Init == fork = [p \in Phil |-> N] /\ state = [p \in Phil |-> "thinks"]
Left(p) == state[p] = "thinks" /\ fork[p] = N /\ fork' = [fork EXCEPT ![p] = p] /\ state' = [state EXCEPT ![p] = "waits"]
Eat(p) == state[p] = "waits" /\ fork[Right(p)] = N /\ fork' = [fork EXCEPT ![Right(p)] = p] /\ state' = [state EXCEPT ![p] = "eats"]
Think(p) == /\ state[p] = "eats"
            /\ fork' = [fork EXCEPT ![p] = N, ![Right(p)] = N]
            /\ state' = [state EXCEPT ![p] = "thinks"]
Next == \E p \in Phil : Left(p) \/ Eat(p) \/ Think(p)
Spec == Init /\ [][Next]_<<fork, state>>
=============================================================================
