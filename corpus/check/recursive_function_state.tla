---------------------- MODULE recursive_function_state ----------------------
EXTENDS Naturals
VARIABLE n
fact[k \in Nat] == IF k = 0 THEN 1 ELSE k * fact[k - 1]
Init == n = 0
Next == n' = (n + 1) % 6
Inv == fact[n] >= n
=============================================================================
