---------------- MODULE temporal_init_next_and_fair_property ----------------
\* INIT and NEXT, and a property that puts fairness on the left of =>.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Down == n > 0 /\ n' = n - 1
Next == Up \/ Down
IfFair == WF_n(Up) => []<>(n = 2)
=============================================================================
