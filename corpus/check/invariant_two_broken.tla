------------------------ MODULE invariant_two_broken ------------------------
\* Both are broken in the same state; the first of the configuration is reported.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Second == x < 2
First == x # 2
=============================================================================
