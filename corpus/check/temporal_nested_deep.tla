------------------------ MODULE temporal_nested_deep ------------------------
\* [] and <> nested more than twice.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = IF n < 4 THEN n + 1 ELSE 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Deep == <>[]<>[](n > 2) /\ [](n = 1 => <>(n = 2 /\ <>(n = 3 /\ []<>(n = 4))))
=============================================================================
