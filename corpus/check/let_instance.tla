---------------------------- MODULE let_instance ----------------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == LET P(k) == INSTANCE let_instance_plus WITH K <- k IN \E k \in 1..2 : x' = P(k)!Add(x)
=============================================================================
