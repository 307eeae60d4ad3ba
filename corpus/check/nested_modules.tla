--------------------------- MODULE nested_modules ---------------------------
EXTENDS Naturals
VARIABLE x
---- MODULE A1 ----
EXTENDS Naturals
One == 1
Inc(n) == n + One
===================
---- MODULE B1 ----
EXTENDS Naturals
INSTANCE A1
Two(n) == Inc(Inc(n))
===================
B == INSTANCE B1
Init == x = B!One
Next == x' = B!Two(x) % 5
=============================================================================
