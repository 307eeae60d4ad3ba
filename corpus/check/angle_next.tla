----------------------------- MODULE angle_next -----------------------------
EXTENDS Naturals
VARIABLE n
Init == n \in 0..2
Step == n' = IF n < 2 THEN n + 1 ELSE n
AngleNext == <<Step>>_n
=============================================================================
