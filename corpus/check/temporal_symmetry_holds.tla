---------------------- MODULE temporal_symmetry_holds -----------------------
\* Symmetry and liveness: TLC warns, and here it does no harm.
EXTENDS Naturals, TLC
CONSTANT P
VARIABLE done
Init == done = {}
Do(p) == p \notin done /\ done' = done \cup {p}
Next == \E p \in P : Do(p)
Spec == Init /\ [][Next]_done /\ WF_done(Next)
All == <>(done = P)
Perms == Permutations(P)
=============================================================================
