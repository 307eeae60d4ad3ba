-------------------- MODULE temporal_enabled_guard_only ---------------------
\* No primed variable at all: ENABLED of a state predicate is the predicate.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Guard == n = 2
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Same == [](ENABLED Guard <=> Guard)
=============================================================================
