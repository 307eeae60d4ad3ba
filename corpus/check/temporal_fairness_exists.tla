---------------------- MODULE temporal_fairness_exists ----------------------
\* Some process is treated fairly.
EXTENDS Naturals
CONSTANT P
VARIABLE f
Init == f = [p \in P |-> 0]
Do(p) == f' = [f EXCEPT ![p] = 1 - @]
Next == \E p \in P : Do(p)
Spec == Init /\ [][Next]_f /\ \E p \in P : WF_f(Do(p))
Moves == \E p \in P : []<>(f[p] = 1)
=============================================================================
