---- MODULE action_function_assigns ----
\* A function that is applied where an action is expected is looked into: it may assign.
EXTENDS Integers
VARIABLE x
Init == x = 0
Step == [a \in 1..2 |-> x' = x + a \/ x' = x + 2 * a]
Next == x < 4 /\ (Step[1] \/ \E b \in {2} : Step[b])
====
