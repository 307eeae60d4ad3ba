--------------- MODULE temporal_components_subcomponent_holds ---------------
\* Now the part is not fair either.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Ring == n' = (n + 1) % 4
Back == n = 1 /\ n' = 0
Exit == n = 3 /\ n' = 9
Next == (n < 4 /\ Ring) \/ Back \/ Exit
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(Exit) /\ SF_n(n = 1 /\ n' = 2)
Out == <>(n = 9)
=============================================================================
