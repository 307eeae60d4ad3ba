----------------- MODULE temporal_step_implication_refused ------------------
\* [][A]_v on the left of an implication.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
IfUp == [][n' > n]_n => <>(n = 7)
=============================================================================
