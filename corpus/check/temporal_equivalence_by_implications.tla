---------------- MODULE temporal_equivalence_by_implications ----------------
\* The counter may stop between the two.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n
Same == (<>(n = 2) => <>(n = 3)) /\ (<>(n = 3) => <>(n = 2))
=============================================================================
