----------------------- MODULE error_exists_infinite -----------------------
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == \E i \in Int : x' = i
=============================================================================
