-------------------------- MODULE subexpression_let --------------------------
\* Names of subexpressions that lead through LET, CASE, labels and definitions of functions.
EXTENDS Naturals, Sequences
VARIABLE x
Shift(a) == LET by(k) == a + k
                half == a \div 2
            IN  <<by(1), half, x>>
Nested(a) == \A i \in 1..3 : outer(i) :: LET j ** k == j * k + a IN (inner :: 2 ** i) > (a ** 7)
Pick(a) == CASE a < 2 -> "few" [] a < 5 -> "some" [] OTHER -> "many"
Counts[n \in 0..9] == IF n = 0 THEN 0 ELSE total(n) :: n + Counts[n - 1]
Sums == LET sum[n \in 0..9] == IF n = 0 THEN 0 ELSE n + sum[n - 1] IN sum[3]
Person == [name |-> "Ada", age |-> 36]
Older == [Person EXCEPT !.age = @ + 1].age
Twice(F(_), v) == F(F(v))
Doubled == Twice(LAMBDA v : 2 * v, 5)
Apply2(F(_, _), v, w) == F(v, w)
Apply4(F(_, _, _, _), a, b, c, d) == F(a, b, c, d)
Init == x = 0
Next == x < 5 /\ x' = x + 1
Inv == /\ Shift(4)!1 = <<5, 2, x>>
       /\ Shift(4)!1!2 = 2
       /\ Shift(4)!:!by(x) = 4 + x
       /\ Shift(4)!:!half = 2
       /\ Apply2(Shift!:!by, x, 2) = x + 2
       /\ Nested(x)!(2)!**(3, 4) = 12 + x
       /\ Nested(x)!outer(2)!:!**(3, 4) = 12 + x
       /\ Nested(x)!outer(3)!inner = 6 + x
       /\ Nested(x)!(3)!1!<< = 6 + x
       /\ Apply4(Nested!@!**, x, 1, 5, 6) = 30 + x
       /\ Apply4(Nested!outer!:!**, x, 1, 5, 6) = 30 + x
       /\ Pick(x)!1!1 = (x < 2)
       /\ Pick(x)!2!>> = "some"
       /\ Pick(x)!3!2 = "many"
       /\ Counts!1 = 0..9
       /\ Counts!(x + 1)!1!<< = x + 1
       /\ Sums!:!sum[4] = 10
       /\ Sums!:!sum!(3)!1!1 = 3
       /\ Older!1!1 = Person
       /\ Older!2 = "age"
       /\ Doubled!1!(x) = 2 * x
       /\ Twice(Doubled!1!@, x) = 4 * x
=============================================================================
