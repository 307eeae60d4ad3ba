--------------------------- MODULE symmetry_sets ---------------------------
EXTENDS TLC, Naturals
CONSTANT V
VARIABLES s, t
Sym == Permutations(V)
Init == s = {} /\ t = {}
Next == \E v \in V : \/ s' = s \cup {v} /\ t' = t
                     \/ v \in s /\ t' = t \cup {v} /\ s' = s \ {v}
                     \/ v \in t /\ t' = t \ {v} /\ s' = s
=============================================================================
