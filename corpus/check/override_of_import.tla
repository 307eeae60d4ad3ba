---- MODULE override_of_import ----
\* What an INSTANCE imports is replaced for this module, but not inside of the module that it comes from.
EXTENDS Naturals
VARIABLES x, last
Start == 0
INSTANCE override_in_instance_inner

MCBound == 4
MCStep(k) == x' = x + k + 1
MCInit == x = Start /\ last = 0
MCNext == Grow \/ (x < Bound /\ Step(1) /\ last' = Bound)
====
