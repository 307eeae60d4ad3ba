---------------- MODULE temporal_safety_and_liveness_broken -----------------
\* The step part fails, long before any loop.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
All == n = 0 /\ [](n < 4) /\ [][n' > n]_n /\ []<>(n = 3)
=============================================================================
