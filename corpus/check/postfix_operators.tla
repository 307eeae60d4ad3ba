------------------------- MODULE postfix_operators -------------------------
\* User-defined infix, prefix and postfix operators at the top level.
EXTENDS Naturals
VARIABLE x
a ++ b == (a + b) % 5
a ^+ == a ++ 1
-. a == 5 - a
a \preceq b == a <= b
Init == x = 0
Next == x' = x^+ \/ x' = (x ++ 2)
Inv == x \preceq 4 /\ -x > 0
=============================================================================
