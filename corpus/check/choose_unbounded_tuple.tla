----------------------- MODULE choose_unbounded_tuple -----------------------
\* An unbounded CHOOSE is an error only when it is evaluated.
EXTENDS Naturals
VARIABLE x
Pair == CHOOSE <<a, b>> : a = b /\ a \in Nat
None == CHOOSE v : v \notin Nat
Init == x = 0
Next == x' = 1 - x
=============================================================================
