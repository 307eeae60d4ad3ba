------------------------ MODULE constant_in_instance ------------------------
EXTENDS Naturals
CONSTANT K
VARIABLE x
---- MODULE Stepper ----
EXTENDS Naturals
CONSTANT K
Step(n) == (n + K) % 6
========================
S == INSTANCE Stepper
Init == x = 0
Next == x' = S!Step(x)
=============================================================================
