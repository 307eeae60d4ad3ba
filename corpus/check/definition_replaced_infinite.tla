-------------------- MODULE definition_replaced_infinite --------------------
EXTENDS Naturals
VARIABLE x
MCNat == 0..4
Init == x \in Nat
Next == (x' \in Nat /\ x' > x) \/ (x = 4 /\ x' = 0)
=============================================================================
