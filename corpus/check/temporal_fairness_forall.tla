---------------------- MODULE temporal_fairness_forall ----------------------
\* One fairness condition for each process.
EXTENDS Naturals
CONSTANT P
VARIABLE done
Init == done = {}
Do(p) == p \notin done /\ done' = done \cup {p}
Next == \E p \in P : Do(p)
Spec == Init /\ [][Next]_done /\ \A p \in P : WF_done(Do(p))
All == <>(done = P)
=============================================================================
