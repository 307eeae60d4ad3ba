--------------- MODULE temporal_fairness_subscript_expression ---------------
\* The subscript is an expression.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == y < 2 /\ y' = y + 1 /\ x' = x
Spec == Init /\ [][Next]_<<x, y>> /\ WF_(x + y)(Next)
Reaches == <>(y = 2)
=============================================================================
