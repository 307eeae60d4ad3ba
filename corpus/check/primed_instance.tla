-------------------------- MODULE primed_instance --------------------------
\* A property about primed expressions of an instance.
EXTENDS Naturals
VARIABLES lo, hi
---- MODULE Number ----
EXTENDS Naturals
VARIABLES l, h
value == 2 * h + l
=======================
N == INSTANCE Number WITH l <- lo, h <- hi
Init == lo = 0 /\ hi = 0
Next == lo' = 1 - lo /\ hi' = IF lo = 1 THEN 1 - hi ELSE hi
Spec == Init /\ [][Next]_<<lo, hi>>
Steps == [][N!value' = (N!value + 1) % 4]_<<lo, hi>>
=============================================================================
