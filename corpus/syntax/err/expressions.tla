---- MODULE expressions ----
NoBody ==
NoOperand == a +
TwoOperators == a + * b
Unclosed == (a + b
UnclosedSet == {a, b
UnclosedTuple == <<a, b
UnclosedBracket == f[a
UnclosedCall == F(a, b
WrongClose == (a + b]
ExtraClose == a)
MissingThen == IF a b ELSE c
MissingElse == IF a THEN b
MissingArrow == CASE a
MissingIn == LET x == 1
EmptyLet == LET IN 1
LocalInLet == LET LOCAL x == 1 IN x
MissingColon == \A x \in S p
MissingSet == \A x \in : p
MissingName == \E : p
ChooseNothing == CHOOSE x \in S
FilterTwo == {x, y \in S : p}
BareBracket == [a]
BareBrackets == [a, b]
EmptyRecord == [a |-> ]
EmptyIndex == f[]
EmptyCall == F()
ExceptNoPath == [f EXCEPT ! = 1]
ExceptNoBang == [f EXCEPT .a = 1]
ExceptNoValue == [f EXCEPT !.a]
LambdaAlone == LAMBDA x : x
LambdaNested == F((LAMBDA x : x))
NoSubscript == [A]_
BadSubscript == [A]_+
TwoActions == <<A, B>>_v
NoAction == WF_v
FairnessTwo == WF_v(A, B)
StepName == <1>2 + 1
ProductName == F(\X, 1)
NoLabel == a + b :: c
LabelCall == F(1) :: c
LabelPrecedence == a * lab :: b + c
Path == I!
FieldMissing == r. + 1
Juxtaposed == a b
EqualEqual == a /\ (b == c)
TrailingComma == {a, b,}
====
