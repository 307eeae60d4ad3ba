---- MODULE binding ----
All == \A x \in S : p
AllTwo == \A x, y \in S : p
AllGroups == \E x, y \in S, z \in T : p
AllTuple == \A <<x, y>> \in S, z \in T : p
AllUnbounded == \A x, y : p
Words == \forall x : \exists y : p
Temporal == \AA x : \EE y, z : p
Choose == CHOOSE x \in S : p
ChooseUnbounded == CHOOSE x : p
ChooseTuple == CHOOSE <<x, y>> \in S : p
Filter == {x \in S : p}
FilterTuple == {<<x, y>> \in S : p}
FilterSet == {x \in S \cup T : p}
FilterOfFilter == {x \in {y \in S : p} : q}
FilterChoose == {x \in CHOOSE s \in T : p : q}
Map == {e : x \in S}
MapTwo == {x + y : x, y \in S, z \in T}
MapTuple == {<<x, y>> : <<x, y>> \in S}
MapName == {x : x \in S}
MapOfMembership == {1 \in x : x \in S}
EnumOfMembership == {x \in S, y \in T}
EnumOfConjunction == {x \in S /\ p}
Singleton == {x}
Empty == {}
Fun == [x \in S |-> e]
FunTwo == [x, y \in S |-> e]
FunGroups == [x \in S, y \in T |-> e]
FunTuple == [<<x, y>> \in S |-> e]
FunTupleAndName == [<<x, y>> \in S, z \in T |-> e]
FunSet == [S -> T]
FunSetNested == [S -> [T -> U]]
FunDef[x \in S] == FunDef[x - 1]
FunDefTwo[x, y \in S, <<a, b>> \in T] == e
Nested == \A x \in S : \E y \in {z \in T : \A w \in U : p} : q
====
