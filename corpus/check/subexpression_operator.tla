----------------------- MODULE subexpression_operator -----------------------
\* `Op!@` is the operator that a quantifier's body is of the names it binds.
EXTENDS Naturals
VARIABLE x
Small == \A k \in 1..3 : k < 3
Five == \E i \in 1..2, j \in 3..4 : i + j = 5
Above == {k \in 1..9 : k > 4}
Over(m) == {k \in 1..9 : k > m}
Apply(F(_), v) == F(v)
Apply2(F(_, _), v, w) == F(v, w)
Init == x = 0
Next == x < 9 /\ x' = x + 1
Inv == /\ Apply(Small!@, x) <=> x < 3
       /\ Apply2(Five!@, x, 3) <=> x = 2
       /\ Apply(Above!@, x) <=> x > 4
       /\ Apply2(Over!@, 5, x) <=> x > 5
=============================================================================
