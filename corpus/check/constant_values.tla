-------------------------- MODULE constant_values --------------------------
EXTENDS Integers
CONSTANTS N, S, T, Str, Nested
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Inv == T /\ Str = "hello" /\ {1} \in Nested /\ {} \in Nested
=============================================================================
