--------------------------- MODULE token_ring_any ---------------------------
\* The same ring from every state: some token is always there.
EXTENDS Naturals
N == 4
VARIABLE c
Nodes == 0..(N - 1)
Init == c \in [Nodes -> 0..4]
Has(i) == IF i = 0 THEN c[0] = c[N - 1] ELSE c[i] # c[i - 1]
Pass(i) == /\ Has(i)
           /\ c' = [c EXCEPT ![i] = IF i = 0 THEN (c[N - 1] + 1) % (N + 1) ELSE c[i - 1]]
Spec == Init /\ [][\E i \in Nodes : Pass(i)]_c
SomeToken == \E i \in Nodes : Has(i)
=============================================================================
