---------------------- MODULE recursive_through_instance ----------------------
\* What is declared RECURSIVE is given to an instance before it is defined.
EXTENDS Naturals
VARIABLE x
RECURSIVE Factorial(_)
Below(n) == INSTANCE recursive_through_instance_inner WITH F <- Factorial, k <- n
Factorial(n) == IF n = 0 THEN 1 ELSE n * Below(n - 1)!Value
Init == x = 0
Next == x < 5 /\ x' = x + 1
Inv == Factorial(x) = IF x = 0 THEN 1 ELSE x * Factorial(x - 1)
Last == Factorial(5) = 120
=============================================================================
