-------------------------- MODULE print_in_action --------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0 /\ PrintT("start")
Next == x' = (x + 1) % 2 /\ PrintT(<<x, x'>>)
=============================================================================
