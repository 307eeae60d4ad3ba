---------------------- MODULE error_infinite_recursion ----------------------
EXTENDS Naturals
VARIABLE x
RECURSIVE Loop(_)
Loop(n) == Loop(n + 1)
Init == x = 0
Next == x' = Loop(x)
=============================================================================
