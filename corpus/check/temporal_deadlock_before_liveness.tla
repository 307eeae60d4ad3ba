----------------- MODULE temporal_deadlock_before_liveness ------------------
\* A deadlock ends the search before temporal properties are looked at.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 2 /\ n' = n + 1
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Reaches == <>(n = 5)
=============================================================================
