---- MODULE actions ----
VARIABLES x, y
vars == <<x, y>>
Box == [][Next]_vars
BoxTuple == [][Next]_<<x, y>>
BoxDisjunction == [A \/ B]_x
BoxMembership == [][x \in {1, 2}]_x
BoxParen == [A]_(x)
BoxPath == [A]_I!v
Angle == <<A>>_vars
AngleTuple == <<A>>_<<x, y>>
DiamondAngle == <><<A>>_x
Weak == WF_vars(Next)
Strong == SF_vars(Next)
WeakTuple == WF_<<x, y>>(A)
WeakParen == WF_(x)(A)
WeakCall == WF_F(x)(A)
WeakPath == WF_I!v(A)
WeakArgument == WF_vars(\E i \in S : A(i))
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Quantified == \A p \in P : WF_x(A(p)) /\ SF_x(B(p))
Enabled == ENABLED <<A>>_x
Unchanged == UNCHANGED <<x, y>>
Primes == x' = y /\ (x + y)' = x
Compose == A \cdot B
WFlike == WFx + SFx + xWF_y + W_x
====
