------------------ MODULE constraint_and_action_constraint ------------------
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' \in 0..4 /\ y' \in {y, x}
C == y <= 2
A == x' # x
=============================================================================
