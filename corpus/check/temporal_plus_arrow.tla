------------------------ MODULE temporal_plus_arrow -------------------------
\* The operator for assumption and guarantee.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 2
Spec == Init /\ [][Next]_n
Guarantee == [](n < 2) -+-> [](n < 3)
=============================================================================
