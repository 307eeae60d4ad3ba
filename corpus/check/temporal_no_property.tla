------------------------ MODULE temporal_no_property ------------------------
\* Fairness alone, of any shape, changes no count.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(n = 2 /\ Next) /\ []<>(n = 1)
Small == n < 3
=============================================================================
