-------------------- MODULE temporal_philosophers_strong --------------------
EXTENDS Naturals
VARIABLE eating
P == 0..2
Init == eating = {}
Free(p) == p \notin eating /\ (p + 1) % 3 \notin eating /\ (p + 2) % 3 \notin eating
Eat(p) == Free(p) /\ eating' = eating \cup {p}
Stop(p) == p \in eating /\ eating' = eating \ {p}
Next == \E p \in P : Eat(p) \/ Stop(p)
Spec == Init /\ [][Next]_eating /\ \A p \in P : SF_eating(Eat(p)) /\ WF_eating(Stop(p))
Everyone == \A p \in P : []<>(p \in eating)
=============================================================================
