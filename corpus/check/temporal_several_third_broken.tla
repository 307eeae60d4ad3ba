------------------- MODULE temporal_several_third_broken --------------------
\* Different kinds: an invariant, a step property, and the violated one among more.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
One == [](n < 3)
Two == [][n' # n]_n
Three == <>[](n = 0)
Four == []<>(n = 1)
=============================================================================
