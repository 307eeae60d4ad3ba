-------------------- MODULE temporal_equivalence_refused --------------------
\* <=> between temporal formulas: TLC does not take it, though => both ways it does.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Same == <>(n = 2) <=> <>(n = 3)
=============================================================================
