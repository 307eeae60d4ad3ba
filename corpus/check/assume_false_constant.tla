----------------------- MODULE assume_false_constant -----------------------
EXTENDS Naturals
CONSTANT N
ASSUME N \in Nat /\ N > 5
VARIABLE x
Init == x = N
Next == UNCHANGED x
=============================================================================
