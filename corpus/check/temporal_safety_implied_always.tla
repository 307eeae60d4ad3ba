------------------- MODULE temporal_safety_implied_always -------------------
\* P => []Q with a state predicate on the left.
EXTENDS Naturals
VARIABLE n
Init == n \in 0..3
Next == n' = (n + 2) % 4
Spec == Init /\ [][Next]_n
Even == (n = 0) => [](n \in {0, 2})
=============================================================================
