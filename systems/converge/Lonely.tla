---- MODULE Lonely ----
EXTENDS Integers, FiniteSets, TLC
CONSTANTS Replicas, Ops
VARIABLES up, last, used     \* who runs, the last write that each has, how many writes there were

IsMajority(S) == 2 * Cardinality(S) > Cardinality(Replicas)
Max(S) == CHOOSE m \in S : \A n \in S : n <= m

Init == up = Replicas /\ last = [r \in Replicas |-> 0] /\ used = 0

\* Everybody who runs gets a write.
Write == /\ IsMajority(up) /\ used < Ops
         /\ used' = used + 1
         /\ last' = [r \in Replicas |-> IF r \in up THEN used' ELSE last[r]]
         /\ UNCHANGED up

\* Only the leader gets a write. Then all crash.
Alone(r) == /\ IsMajority(up) /\ used < Ops
            /\ used' = used + 1
            /\ last' = [last EXCEPT ![r] = used']
            /\ up' = {}

\* Some come back, and all that run have the latest write among them.
Back(S) == /\ IsMajority(up \cup S)
           /\ up' = up \cup S
           /\ last' = [r \in Replicas |-> IF r \in up' THEN Max({last[s] : s \in up'}) ELSE last[r]]
           /\ UNCHANGED used

Next == Write \/ (\E r \in up : Alone(r)) \/ (\E S \in (SUBSET (Replicas \ up)) \ {{}} : Back(S))
Done == used = Ops /\ up = Replicas
Interchangeable == Permutations(Replicas)
====
