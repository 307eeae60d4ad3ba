--------------------- MODULE temporal_forall_state_set ----------------------
\* The set depends on the state.
EXTENDS Naturals
VARIABLE s
Init == s = {1, 2}
Next == \E i \in s : s' = s \ {i}
Spec == Init /\ [][Next]_s /\ WF_s(Next)
All == \A i \in s : <>(i \notin s)
=============================================================================
