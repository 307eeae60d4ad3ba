--------------------------- MODULE init_let_case ---------------------------
EXTENDS Naturals
VARIABLES x, y
Init == LET S == {1, 2, 3} IN
        /\ x \in S
        /\ CASE x = 1 -> y = 1
             [] x = 2 -> y \in {2, 3}
             [] OTHER -> y = 9
Next == UNCHANGED <<x, y>>
=============================================================================
