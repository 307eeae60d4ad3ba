--------------------------- MODULE action_enabled ---------------------------
\* ENABLED in a guard.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
IncX == x < 2 /\ x' = x + 1 /\ UNCHANGED y
Reset == ~ENABLED IncX /\ x' = 0 /\ y' = 1 - y
Next == IncX \/ Reset
=============================================================================
