----------------------- MODULE instance_parametrised -----------------------
EXTENDS Naturals
VARIABLE f
---- MODULE Cell ----
EXTENDS Naturals
CONSTANT Limit
VARIABLE v
Start == v = 0
Full == v >= Limit
Ok == v <= Limit
=====================
Cell(i, limit) == INSTANCE Cell WITH v <- f[i], Limit <- limit
Init == f = [i \in 1..2 |-> 0]
Next == \/ \E i \in 1..2 : ~Cell(i, i + 1)!Full /\ f' = [f EXCEPT ![i] = @ + 1]
        \/ (\A i \in 1..2 : Cell(i, i + 1)!Full) /\ f' = [i \in 1..2 |-> 0]
Inv == \A i \in 1..2 : Cell(i, i + 1)!Ok
=============================================================================
