---- MODULE constant_that_fails_later ----
(* The constant C is a function that holds an argument without a value. That matters only where the argument is used,
   which is in the second state. *)
EXTENDS Integers
VARIABLE v

RECURSIVE F(_, _)
F(n, x) == IF n = 0 THEN [i \in Nat |-> IF i = 0 THEN 0 ELSE x] ELSE F(n - 1, x)

C == F(1, 1 \div 0)

Init == v = C[0]
Next == v' = C[v] + 1
====
