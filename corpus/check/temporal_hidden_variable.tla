---------------------- MODULE temporal_hidden_variable ----------------------
\* Hiding a variable: nobody handles \EE.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 2
Spec == Init /\ [][Next]_n
Hidden == \EE h : [](h = n)
=============================================================================
