------------------- MODULE temporal_enabled_contradiction -------------------
\* Both conjuncts assign the variable: enabled only where they agree.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Both == n' = n + 1 /\ n' = 2
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Where == [](ENABLED Both <=> n = 1)
=============================================================================
