----------------- MODULE temporal_step_nested_action_parse ------------------
\* [] before a primed formula.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Bad == [](n' # n)
=============================================================================
