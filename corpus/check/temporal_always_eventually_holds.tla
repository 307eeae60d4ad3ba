------------------ MODULE temporal_always_eventually_holds ------------------
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Again == []<>(n = 0)
=============================================================================
