------------------ MODULE temporal_safety_always_or_broken ------------------
\* [] behind a definition with a parameter is an invariant all the same.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n
Low == n < 2
High == n > 2
Always(P) == []P
Split == Always(Low \/ High)
=============================================================================
