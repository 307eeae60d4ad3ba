------------------ MODULE temporal_components_subcomponent ------------------
\* Strong fairness rules the whole component out, a part of it is fair.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Ring == n' = (n + 1) % 4
Back == n = 1 /\ n' = 0
Exit == n = 3 /\ n' = 9
Next == (n < 4 /\ Ring) \/ Back \/ Exit
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(Exit)
Out == <>(n = 9)
=============================================================================
