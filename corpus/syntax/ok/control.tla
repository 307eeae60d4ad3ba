---- MODULE control ----
If == IF a THEN b ELSE c
IfIf == IF a THEN IF b THEN c ELSE d ELSE e
Case == CASE a -> b [] c -> d [] OTHER -> e
CaseOne == CASE a -> b
CaseNested == CASE a -> CASE b -> c [] d -> e [] OTHER -> f
CaseBox == CASE a -> []b [] c -> [][d]_e
Let == LET x == 1 IN x
LetMany == LET x == 1 F(y) == y f[z \in S] == z IN F(x)
LetInfix == LET a ++ b == a  -. c == c  d ^+ == d IN 1
LetRecursive == LET RECURSIVE F(_) F(x) == F(x) IN F(1)
LetInstance == LET I == INSTANCE M WITH a <- b IN I!c
LetLet == LET x == LET y == 1 IN y IN x
Label == lab :: a + b
LabelArguments == \A x \in S : lab(x) :: x = 1
LabelInLabel == l1 :: l2 :: a
====
