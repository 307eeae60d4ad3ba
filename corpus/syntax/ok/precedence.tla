---- MODULE precedence ----
AddMul == a + b * c
MulAdd == a * b + c
LeftSub == a - b - c
AddSub == a - b + c
Power == a ^ b * c
EqAdd == a + b = c
InCup == a \in b \cup c
AndEq == a = b /\ c = d
ManyAnds == a /\ b /\ c /\ d
AndImplies == a /\ b => c \/ d
NotAnd == ~ a /\ b
NotEq == ~ a = b
NotNot == ~ ~ a
EquivOr == a \/ b <=> c /\ d
Leads == a /\ b ~> c
BoxAnd == []a /\ b
BoxArrow == []a => <>b
BoxBox == []<>a
MinusPrefix == -a + b
MinusTimes == -a * b
MinusMinus == a - -b
MinusPower == -a ^ b
MinusInEq == a = -b
MinusRange == -1 .. -b
DoubleMinus == - - a
SubsetOf == SUBSET (a \X b)
SubsetCup == SUBSET a \cup b
UnionDomain == UNION {DOMAIN f}
DomainIndex == DOMAIN f[x]
PrimeIndex == f[x]'
PrimeField == r.a.b'
IndexField == f[x].y[z]
PrimeThenIndex == f'[x]
PrimePower == a' ^ b'
Closure == a^+ \cup b^* \cup c^#
Range == 1 .. n + 1
MapMerge == a :> b @@ c :> d
Concat == s \o t \circ u
SetMinus == a \ b
Cdot == A \cdot B \cdot C
EnabledAnd == ENABLED a /\ b
UnchangedAnd == UNCHANGED a /\ b
PlusArrow == a -+-> b
Modulo == (a % b) % c
ModuloEq == a % b = c
Product2 == a \X b
Product3 == a \X b \times c
ProductParen == (a \X b) \X c
ProductIn == x \in a \X b
OpenRight == a /\ \A x \in S : p \/ q
OpenIf == 1 + IF a THEN b ELSE c + d
OpenLet == a = LET x == 1 IN x = b
====
