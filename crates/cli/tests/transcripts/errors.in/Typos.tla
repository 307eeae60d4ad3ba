------------------------------- MODULE Typos -------------------------------
EXTENDS Naturals
VARIABLES count
Init == coutn = 0
Next == count' = Inc(count, 1)
Inc(x) == x + 1
=============================================================================
