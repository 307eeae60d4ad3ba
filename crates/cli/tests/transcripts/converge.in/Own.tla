---- MODULE Own ----
EXTENDS TLC
CONSTANTS Replicas, Circle
VARIABLES away, left, written
Init == away = {} /\ left = FALSE /\ written = FALSE
Write == away = {} /\ ~written /\ written' = TRUE /\ UNCHANGED <<away, left>>
Fail(r) == away = {} /\ ~left /\ ~written /\ away' = {r} /\ left' = ~Circle /\ UNCHANGED written
Return == away # {} /\ away' = {} /\ UNCHANGED <<left, written>>
Next == Write \/ (\E r \in Replicas : Fail(r)) \/ Return
Interchangeable == Permutations(Replicas)
====
