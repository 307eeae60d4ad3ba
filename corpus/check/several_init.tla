---------------------------- MODULE several_init ----------------------------
EXTENDS Naturals
VARIABLES x, y
Init == x \in 1..3 /\ y \in {TRUE, FALSE}
Next == x' = 1 /\ y' = ~y
=============================================================================
