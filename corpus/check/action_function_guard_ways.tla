---- MODULE action_function_guard_ways ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == /\ [a \in {1} |-> (x = 0 \/ x < a)][1]
        /\ x' = 1 - x
====
