--------------------------- MODULE constraint_two ---------------------------
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == (x' = x + 1 /\ y' = y) \/ (y' = y + 1 /\ x' = x)
SmallX == x <= 2
SmallY == y <= 3
=============================================================================
