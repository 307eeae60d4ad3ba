-------------------- MODULE temporal_several_both_broken --------------------
\* Both are violated, by the same behavior.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
First == []<>(n = 4)
Second == []<>(n = 5)
=============================================================================
