------------- MODULE temporal_init_next_and_fair_property_holds -------------
\* Strong fairness of each single step is what it takes.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up(i) == n = i /\ n' = i + 1
Down == n > 0 /\ n' = n - 1
Next == Down \/ \E i \in 0..1 : Up(i)
IfFair == (\A i \in 0..1 : SF_n(Up(i))) => []<>(n = 2)
=============================================================================
