----------------------------- MODULE token_ring -----------------------------
\* Dijkstra's token ring, started anywhere legal.
EXTENDS Naturals, FiniteSets
CONSTANT N
VARIABLE c
Nodes == 0..(N - 1)
Init == c = [i \in Nodes |-> 0]
Has(i) == IF i = 0 THEN c[0] = c[N - 1] ELSE c[i] # c[i - 1]
Pass(i) == /\ Has(i)
           /\ c' = [c EXCEPT ![i] = IF i = 0 THEN (c[N - 1] + 1) % (N + 1) ELSE c[i - 1]]
Next == \E i \in Nodes : Pass(i)
Spec == Init /\ [][Next]_c
OneToken == Cardinality({i \in Nodes : Has(i)}) = 1
TypeOk == c \in [Nodes -> 0..N]
=============================================================================
