-------------------------- MODULE assert_in_action --------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == Assert(x < 3, "x is too large") /\ x' = x + 1
=============================================================================
