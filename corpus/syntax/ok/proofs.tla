---- MODULE proofs ----
THEOREM T1 == a
<1>1. a = b
  BY <1>1, <1>2!1 DEF c
<1>2. \A x \in S : /\ a
                   /\ b
  <2>1. TAKE x \in S, y \in T
  <2>2 TAKE z
  <2>a. PICK w \in S : p
    OBVIOUS
  <2>b_c. PICK u, v : p
    BY <2>a
  <2> HAVE a => b
  <2>. WITNESS a, b \in S
  <2>3. CASE a = 1
    <3>1. QED
  <2> SUFFICES ASSUME NEW x \in S, a
               PROVE b
    OMITTED
  <2> SUFFICES a
  <2> DEFINE F(i) == i
             g[i \in S] == i
  <2> h == 1
  <2> USE a DEF b
  <2> HIDE c
  <2> I == INSTANCE M
  <2>4. QED
    PROOF
      <3>* a
      <3>- b
      <3> QED BY <2>1
<1>3. @ = c
<1> QED
  BY <1>1, <1>2
THEOREM T2 == a
PROOF
<*>1. a
  <+> b
  <*> QED
<*> QED
After == 1
====
