---------------------- MODULE temporal_forall_several -----------------------
\* Several bound variables, a tuple pattern, and a set that is computed.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == IF x < 2 THEN x' = x + 1 /\ y' = y ELSE y < 2 /\ y' = y + 1 /\ x' = 0
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
All == /\ \A i \in 0..2, j \in 0..2 : <>(x = i /\ y = j)
       /\ \A <<i, j>> \in {0, 1} \X {1, 2} : (x = i /\ y = j) ~> (x = i + 1 /\ y = j)
=============================================================================
