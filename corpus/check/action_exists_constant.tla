----------------------- MODULE action_exists_constant -----------------------
EXTENDS Naturals
CONSTANT Procs
VARIABLE pc
Init == pc = [p \in {1, 2, 3} |-> "a"]
Next == \E p \in {1, 2, 3} : pc' = [pc EXCEPT ![p] = IF @ = "a" THEN "b" ELSE "a"]
=============================================================================
