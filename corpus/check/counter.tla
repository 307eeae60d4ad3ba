------------------------------ MODULE counter ------------------------------
\* A counter that wraps round.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 5
Bounded == n < 5
=============================================================================
