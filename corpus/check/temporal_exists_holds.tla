----------------------- MODULE temporal_exists_holds ------------------------
\* One of them, which one differs from behavior to behavior.
EXTENDS Naturals
VARIABLE n
Init == n \in 1..3
Next == UNCHANGED n
Spec == Init /\ [][Next]_n
Some == \E i \in 1..3 : [](n = i)
=============================================================================
