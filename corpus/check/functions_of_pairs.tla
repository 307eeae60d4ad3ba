------------------------- MODULE functions_of_pairs -------------------------
EXTENDS Naturals
VARIABLE g
N == 1..2
Init == g = [i, j \in N |-> i = j]
Next == \E i, j \in N : i # j /\ g' = [g EXCEPT ![i, j] = ~@]
=============================================================================
