---- MODULE own_min_extends_sequences_ext ----
EXTENDS Integers, SequencesExt
Min(S) == CHOOSE m \in S : \A n \in S : n >= m
VARIABLE x
Init == x = Min({2, 3})
Next == UNCHANGED x
====
