--------------------------- MODULE instance_chain ---------------------------
\* A!B!Op through two instances.
EXTENDS Naturals
VARIABLE x
---- MODULE Inner ----
EXTENDS Naturals
CONSTANT K
VARIABLE u
Step == u' = (u + K) % 6
Small == u < 6
======================
---- MODULE Outer ----
EXTENDS Naturals
VARIABLE w
I(k) == INSTANCE Inner WITH K <- k, u <- w
======================
O == INSTANCE Outer WITH w <- x
Init == x = 0
Next == O!I(2)!Step \/ O!I(3)!Step
Inv == O!I(1)!Small
=============================================================================
