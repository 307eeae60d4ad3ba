------------------------ MODULE assert_in_invariant ------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 5
Inv == Assert(x # 2, <<"x is", x>>)
=============================================================================
