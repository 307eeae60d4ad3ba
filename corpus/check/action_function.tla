--------------------------- MODULE action_function ---------------------------
\* A function whose values are actions, applied where an action is expected.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y \in 0..1
Step[n \in 1..3, m \in 0..1] == \/ x + n < 6 /\ x' = x + n /\ y' = m
                                \/ x > 4 /\ x' = n /\ UNCHANGED y
Next == \E i \in 1..3 : \/ Step[i, y]
                        \/ [k \in {i} |-> x > k /\ x' = k /\ y' = 1 - y][i]
=============================================================================
