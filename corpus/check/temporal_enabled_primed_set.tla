-------------------- MODULE temporal_enabled_primed_set ---------------------
\* x' in a set: enabled as long as the set is not empty.
EXTENDS Naturals
VARIABLE n
Init == n = 3
Lower == n' \in 0..(n - 1)
Spec == Init /\ [][Lower]_n /\ WF_n(Lower)
Ends == <>[](~ENABLED Lower)
=============================================================================
