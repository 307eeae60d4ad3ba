---------------------------- MODULE init_subset ----------------------------
EXTENDS Naturals, FiniteSets
VARIABLE s
Init == s \in SUBSET {1, 2, 3}
Next == \E x \in {1, 2, 3} : s' = IF x \in s THEN s \ {x} ELSE s \cup {x}
Inv == Cardinality(s) <= 3
=============================================================================
