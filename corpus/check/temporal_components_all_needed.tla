------------------- MODULE temporal_components_all_needed -------------------
\* The loop has to visit three places far apart in one component.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == \/ n' = (n + 1) % 9
        \/ n' = (n + 8) % 9
A == n = 2 /\ n' = 3
B == n = 5 /\ n' = 6
C == n = 8 /\ n' = 0
Spec == Init /\ [][Next]_n /\ WF_n(Next) /\ SF_n(A) /\ SF_n(B) /\ SF_n(C)
Rest == <>[](n # 4)
=============================================================================
