------------------- MODULE temporal_fairness_forall_part --------------------
\* One of the processes is left out.
EXTENDS Naturals
CONSTANT P, Lazy
VARIABLE done
Init == done = {}
Do(p) == p \notin done /\ done' = done \cup {p}
Next == \E p \in P : Do(p)
Spec == Init /\ [][Next]_done /\ \A p \in P \ {Lazy} : WF_done(Do(p))
All == <>(done = P)
=============================================================================
