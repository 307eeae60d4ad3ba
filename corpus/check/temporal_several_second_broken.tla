------------------- MODULE temporal_several_second_broken -------------------
\* Two properties, the second is violated.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
First == []<>(n = 1)
Second == []<>(n = 4)
=============================================================================
