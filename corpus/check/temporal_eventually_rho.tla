---------------------- MODULE temporal_eventually_rho -----------------------
\* The cycle is entered in the third state only.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = IF n = 4 THEN 2 ELSE n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Back == []<>(n = 1)
=============================================================================
