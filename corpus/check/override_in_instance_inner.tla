---- MODULE override_in_instance_inner ----
EXTENDS Naturals
CONSTANT Start
VARIABLES x, last

None == CHOOSE v : v \notin Nat
Bound == 2
Step(k) == x' = x + k

Init == x = Start /\ last = None
Forget == last # None /\ last' = None /\ UNCHANGED x
Grow == x < Bound /\ Step(1) /\ last' = x
Next == Grow \/ Forget
====
