---------------------- MODULE temporal_step_or_refused ----------------------
\* [][A]_v in a disjunction.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Either == [][n' > n]_n \/ <>(n = 2)
=============================================================================
