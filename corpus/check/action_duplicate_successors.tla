-------------------- MODULE action_duplicate_successors --------------------
\* Two actions to the same state: generated counts both.
VARIABLE x
Init == x = 0
Next == \/ x' = 1
        \/ x' = 1
        \/ \E i \in {1, 2, 3} : x' = 0
=============================================================================
