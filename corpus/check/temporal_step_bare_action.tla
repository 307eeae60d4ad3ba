--------------------- MODULE temporal_step_bare_action ----------------------
\* An action as a property: not a temporal formula.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Bare == n' = n + 1
=============================================================================
