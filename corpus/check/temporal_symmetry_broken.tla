---------------------- MODULE temporal_symmetry_broken ----------------------
\* Violated whether symmetric states are merged or not.
EXTENDS Naturals, TLC
CONSTANT P
VARIABLE done
Init == done = {}
Do(p) == p \notin done /\ done' = done \cup {p}
Next == \E p \in P : Do(p)
Spec == Init /\ [][Next]_done
All == <>(done = P)
Perms == Permutations(P)
=============================================================================
