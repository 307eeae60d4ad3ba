------------------- MODULE temporal_eventually_init_next --------------------
\* INIT and NEXT say nothing of fairness either.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Reaches == <>(n = 3)
=============================================================================
