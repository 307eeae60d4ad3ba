-------------------------- MODULE tlcset_registers --------------------------
\* A register counts the successors that were computed.
EXTENDS Naturals, TLC
VARIABLE x
ASSUME TLCSet(1, 0)
Init == x = 0
Next == x' = (x + 1) % 4 /\ TLCSet(1, TLCGet(1) + 1)
Post == TLCGet(1) = 4 /\ TLCGet("distinct") = 4
=============================================================================
