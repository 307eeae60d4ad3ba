------------------------ MODULE temporal_not_boolean ------------------------
\* <> of something that is no truth value.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Bad == <>(n + 1)
=============================================================================
