-------------------------- MODULE action_recursive --------------------------
\* A recursive operator in an action.
EXTENDS Naturals, Sequences
VARIABLE s
RECURSIVE Sum(_)
Sum(q) == IF q = <<>> THEN 0 ELSE Head(q) + Sum(Tail(q))
Init == s = <<>>
Next == \/ \E x \in 1..2 : Sum(s) + x <= 4 /\ s' = Append(s, x)
        \/ Sum(s) >= 4 /\ s' = <<>>
=============================================================================
