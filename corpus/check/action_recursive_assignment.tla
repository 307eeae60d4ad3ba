-------------------- MODULE action_recursive_assignment --------------------
\* A recursive action that assigns in its base case.
EXTENDS Naturals
VARIABLE n
RECURSIVE Count(_)
Count(k) == IF k = 0 THEN n' = 0 ELSE \/ n' = k
                                       \/ Count(k - 1)
Init == n = 0
Next == Count(4)
=============================================================================
