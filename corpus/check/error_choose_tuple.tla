------------------------- MODULE error_choose_tuple --------------------------
\* An unbounded CHOOSE with a tuple cannot be evaluated.
EXTENDS Naturals
VARIABLE x
Pair == CHOOSE <<a, b>> : a = b /\ a \in Nat
None == CHOOSE v : v \notin Nat
Init == x = Pair[1]
Next == x' = 1 - x
=============================================================================
