---------------------- MODULE temporal_definition_let -----------------------
\* LET around and inside of temporal operators.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Ends == LET goal == 3
            Goal == n = goal
        IN  [](LET before == goal - 1 IN n = before => <>Goal)
=============================================================================
