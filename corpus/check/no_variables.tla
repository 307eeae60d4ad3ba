---------------------------- MODULE no_variables ----------------------------
\* Only assumptions.
EXTENDS Naturals
VARIABLE x
ASSUME 1 + 1 = 2
ASSUME Named == \A n \in 1..3 : n > 0
Init == x = 0
Next == UNCHANGED x
=============================================================================
