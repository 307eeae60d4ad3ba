---------------------------- MODULE big_counters ----------------------------
\* About twenty thousand states.
EXTENDS Naturals
VARIABLE c
N == 1..5
Init == c = [i \in N |-> 0]
Inc(i) == c[i] < 6 /\ c' = [c EXCEPT ![i] = @ + 1]
Reset == (\A i \in N : c[i] = 6) /\ c' = [i \in N |-> 0]
Next == Reset \/ \E i \in N : Inc(i)
Spec == Init /\ [][Next]_c
Inv == \A i \in N : c[i] <= 6
=============================================================================
