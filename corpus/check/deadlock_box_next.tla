------------------------- MODULE deadlock_box_next -------------------------
\* [Next]_n as the next-state relation always has a stuttering step.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Step == n < 3 /\ n' = n + 1
BoxNext == [Step]_n
=============================================================================
