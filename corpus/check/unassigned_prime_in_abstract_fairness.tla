---- MODULE unassigned_prime_in_abstract_fairness ----
VARIABLE x
Spec == x = 0 /\ [][x' = x]_x
A == INSTANCE unassigned_prime_in_abstract_fairness_abstract WITH v <- 2
Ref == A!ASpec
====
