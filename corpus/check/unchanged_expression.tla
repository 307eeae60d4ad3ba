------------------------ MODULE unchanged_expression ------------------------
\* UNCHANGED of a record and of an expression that is not a variable is a test.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 2
Next == x' \in 0..2 /\ y' \in 0..2 /\ UNCHANGED (x + y)
=============================================================================
