----------------------- MODULE temporal_exists_empty ------------------------
\* Over the empty set nothing exists.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 2
Spec == Init /\ [][Next]_n
Nothing == \E i \in {} : <>(n = i)
=============================================================================
