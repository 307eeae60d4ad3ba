----------------------- MODULE temporal_case_refused ------------------------
\* CASE with temporal arms.
EXTENDS Naturals
CONSTANT Kind
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Choice == CASE Kind = 1 -> <>(n = 5) [] Kind = 2 -> []<>(n = 2) [] OTHER -> <>(n = 7)
=============================================================================
