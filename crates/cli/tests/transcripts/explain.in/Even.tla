---- MODULE Even ----
EXTENDS Naturals
VARIABLE n
S == {"a", "b"}
Init == n = [s \in S |-> 0]
Inc(s) == /\ \A q \in S : n[q] <= n[s]
          /\ n' = [n EXCEPT ![s] = @ + 1]
Next == \E s \in S : Inc(s)
Few == n["a"] < 2
====
