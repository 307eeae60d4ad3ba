---------------------------- MODULE error_choose ----------------------------
EXTENDS Naturals
VARIABLE s
Init == s = {1, 2}
Next == LET m == CHOOSE x \in s : TRUE IN s' = s \ {m}
=============================================================================
