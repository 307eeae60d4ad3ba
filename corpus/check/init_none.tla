----------------------------- MODULE init_none -----------------------------
\* No initial state at all.
EXTENDS Naturals
VARIABLE x
Init == x \in {}
Next == UNCHANGED x
=============================================================================
