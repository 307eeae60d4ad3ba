----------------------- MODULE functions_of_functions -----------------------
EXTENDS Naturals
VARIABLE m
N == 1..2
Init == m = [i \in N |-> [j \in N |-> 0]]
Next == \E i, j \in N : m' = [m EXCEPT ![i][j] = (@ + 1) % 3]
Inv == \A i \in N : \A j \in N : m[i][j] \in 0..2
=============================================================================
