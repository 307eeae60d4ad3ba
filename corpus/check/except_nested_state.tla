------------------------ MODULE except_nested_state ------------------------
EXTENDS Naturals, Sequences
VARIABLE s
Init == s = [n |-> 0, q |-> <<[v |-> 0]>>, m |-> [i \in 1..2 |-> {}]]
Next == \/ s' = [s EXCEPT !.n = (@ + 1) % 2, !.q[1].v = s.n]
        \/ \E i \in 1..2 : s' = [s EXCEPT !.m[i] = @ \cup {s.n}]
Inv == s.q[1].v \in {0, 1} /\ Len(s.q) = 1
=============================================================================
