--------------------- MODULE temporal_step_always_holds ---------------------
\* [][A]_v alone is checked step by step.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Steps == [][n' = n + 1 \/ n' = 0]_n
=============================================================================
