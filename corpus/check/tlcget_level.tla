---------------------------- MODULE tlcget_level ----------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1 \/ x' = x + 2
Shallow == TLCGet("level") < 6
=============================================================================
