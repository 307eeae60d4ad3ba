------------------------ MODULE postcondition_stats ------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x \in 0..1
Next == x' = (x + 2) % 6
Post == TLCGet("stats").distinct = 6 /\ TLCGet("generated") = 8 /\ TLCGet("queue") = 0
=============================================================================
