--------------------- MODULE temporal_forall_unbounded ----------------------
\* A quantifier without a set.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 2
Spec == Init /\ [][Next]_n
All == \A i : <>(n = i)
=============================================================================
