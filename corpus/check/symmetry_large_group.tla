---- MODULE symmetry_large_group ----
\* Three symmetric sets of four make a group of 13,824 permutations; it must not take long to find it.
EXTENDS TLC
CONSTANTS Keys, Values, Nodes
VARIABLES owner, table

Init == owner = [n \in Nodes |-> {}] /\ table = {}
Take(n, k) == /\ \A other \in Nodes : k \notin owner[other]
              /\ owner' = [owner EXCEPT ![n] = {k}]
              /\ UNCHANGED table
Put(n, k, v) == k \in owner[n] /\ table = {} /\ table' = {<<k, v>>} /\ UNCHANGED owner
Next == \E n \in Nodes, k \in Keys : Take(n, k) \/ \E v \in Values : Put(n, k, v)

Symmetry == Permutations(Keys) \cup Permutations(Values) \cup Permutations(Nodes)
====
