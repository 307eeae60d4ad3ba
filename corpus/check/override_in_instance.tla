---- MODULE override_in_instance ----
\* A replaced definition is replaced inside of instances of its module too, but not where it is named through one.
EXTENDS override_in_instance_inner

I == INSTANCE override_in_instance_inner

MCBound == 4
MCStep(k) == x' = x + k + 1 \/ x' = x
MCGrow == x # 3 /\ I!Grow
MCForget == I!Forget
====
