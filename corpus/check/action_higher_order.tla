------------------------ MODULE action_higher_order ------------------------
EXTENDS Naturals
VARIABLES x, y
With(Op(_), v) == Op(v)
Init == x = 0 /\ y = 0
Set(v) == x' = v /\ y' = y
Next == \/ \E v \in 0..2 : With(Set, v)
        \/ With(LAMBDA v : y' = v /\ UNCHANGED x, 1 - y)
=============================================================================
