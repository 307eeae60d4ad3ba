------------------- MODULE temporal_enabled_forall_broken -------------------
\* Fair is Clear alone; setting may stop.
EXTENDS Naturals
VARIABLE f
Init == f = [i \in 1..2 |-> 0]
All == \A i \in 1..2 : f[i] = 1
Set == \E i \in 1..2 : f[i] = 0 /\ f' = [f EXCEPT ![i] = 1]
Clear == All /\ f' = [i \in 1..2 |-> 0]
Next == Set \/ Clear
Spec == Init /\ [][Next]_f /\ WF_f(Clear)
Live == []<>(ENABLED Clear)
=============================================================================
