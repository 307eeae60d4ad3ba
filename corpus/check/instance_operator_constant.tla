--------------------- MODULE instance_operator_constant ---------------------
EXTENDS Naturals
VARIABLE x
---- MODULE Apply ----
CONSTANTS Op(_, _), Base
VARIABLE v
Step(k) == v' = Op(v, k)
Begin == v = Base
======================
Mod(a, b) == (a + b) % 5
A == INSTANCE Apply WITH Op <- Mod, Base <- 1, v <- x
Init == A!Begin
Next == A!Step(2)
=============================================================================
