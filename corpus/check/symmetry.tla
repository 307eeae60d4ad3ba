------------------------------ MODULE symmetry ------------------------------
EXTENDS TLC
CONSTANT P
VARIABLE state
Sym == Permutations(P)
Init == state = [p \in P |-> "idle"]
Next == \E p \in P : state' = [state EXCEPT ![p] = CASE @ = "idle" -> "try" [] @ = "try" -> "in" [] @ = "in" -> "idle"]
=============================================================================
