---------------------------- MODULE model_values ----------------------------
CONSTANTS A, B, Set
VARIABLE x
Init == x = A
Next == x' \in Set
Inv == x \in Set /\ A # B /\ A # 1 /\ x # "A" /\ A \notin {1, 2}
=============================================================================
