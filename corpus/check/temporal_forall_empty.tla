----------------------- MODULE temporal_forall_empty ------------------------
\* Over the empty set everything holds.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 2
Spec == Init /\ [][Next]_n
Nothing == \A i \in {} : <>(n = i)
=============================================================================
