------------------------ MODULE init_let_quantified ------------------------
EXTENDS Naturals
VARIABLES f, g
Init == \E n \in 1..2 : LET D == 1..n IN f \in [D -> {0, 1}] /\ g = n
Next == f' = [f EXCEPT ![1] = 1 - @] /\ g' = g
=============================================================================
