-------------------- MODULE temporal_enabled_quantified ---------------------
\* Nested quantifiers inside of ENABLED: two different elements can be taken.
EXTENDS Naturals, FiniteSets
CONSTANT S
VARIABLE taken
Init == taken = {}
Pair == \E a \in S \ taken : \E b \in S \ taken : a # b /\ taken' = taken \cup {a, b}
One == \E a \in S \ taken : taken' = taken \cup {a}
Next == Pair \/ One
Spec == Init /\ [][Next]_taken /\ WF_taken(Next)
Left == <>(~ENABLED Pair) /\ [](ENABLED Pair <=> Cardinality(S \ taken) > 1)
=============================================================================
