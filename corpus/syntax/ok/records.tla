---- MODULE records ----
Record == [a |-> 1, b |-> 2]
RecordSet == [a : S, b : T]
KeywordField == [NEW |-> 1]
KeywordAccess == r.NEW + r.THEN + r.IF + r.DOMAIN
Access == r.a.b
Except == [f EXCEPT ![1] = 2]
ExceptField == [r EXCEPT !.a = 1]
ExceptPath == [f EXCEPT ![1].a[2, 3].b = @ + 1]
ExceptTwo == [f EXCEPT ![1] = @, !.b = 2]
ExceptOfExcept == [[f EXCEPT ![1] = 2] EXCEPT ![2] = 3]
ExceptOperator == [a @@ b EXCEPT ![1] = 2]
Index == f[1]
IndexTwo == f[1, 2]
IndexTuple == f[<<1, 2>>]
IndexIndex == f[1][2]
IndexCall == F(1)[2]
IndexOfRecord == [a |-> 1].a
IndexOfFunction == [x \in S |-> x][1]
TupleIndex == <<1, 2>>[1]
Tuples == <<1, <<2>>, <<>> >>
====
