--------------------------- MODULE instance_local ---------------------------
---- MODULE Helper ----
LOCAL INSTANCE Naturals
Wrap(n) == (n + 1) % 3
=======================
INSTANCE Helper
VARIABLE x
Init == x = 0
Next == x' = Wrap(x)
=============================================================================
