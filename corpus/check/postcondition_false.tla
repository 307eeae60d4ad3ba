------------------------ MODULE postcondition_false ------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Post == TLCGet("distinct") = 5
=============================================================================
