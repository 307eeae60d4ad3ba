--------------------------- MODULE init_functions ---------------------------
EXTENDS Naturals
VARIABLE f
Init == f \in [{1, 2, 3} -> {0, 1}]
Next == \E i \in DOMAIN f : f' = [f EXCEPT ![i] = 1 - @]
Typed == f \in [1..3 -> 0..1]
=============================================================================
