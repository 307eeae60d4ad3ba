-------------------------- MODULE labels_and_names --------------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \/ up:: x < 3 /\ x' = x + 1
        \/ down:: x > 0 /\ x' = 0
Good == (x >= 0) /\ (x <= 3)
Inv == Good!1 /\ Good!2
=============================================================================
