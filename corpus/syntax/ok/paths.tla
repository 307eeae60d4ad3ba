---- MODULE paths ----
Instance == I!x
InstanceCall == I!F(1, 2)
Parameters == I(1)!J!F(2)
InstanceInfix == I!+(1, 2)
InstanceExclamation == I! !!(1, 2)
InstanceOperator == G(I!+)
Position == Op!1
Positions == Op!1!2
Arguments == Op!(x)
ArgumentsThenPosition == Op!(x)!1
LabelPath == Op!lab!1
LabelArguments == Op(x)!lab(y)
Angles == Op!<<!>>
At == Op!@
Colon == Op!:
ColonThen == Op!:!1
ThenIndex == I!f[1].a
====
