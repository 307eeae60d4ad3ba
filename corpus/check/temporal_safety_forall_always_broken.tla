---------------- MODULE temporal_safety_forall_always_broken ----------------
\* \A of [] is safety as well.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 4
Spec == Init /\ [][Next]_n
Never == \A i \in 3..5 : [](n # i)
=============================================================================
