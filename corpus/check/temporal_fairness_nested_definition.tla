---------------- MODULE temporal_fairness_nested_definition -----------------
\* Init, Next and fairness several definitions deep, and in another order.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Safety == Init /\ [][Next]_n
Fair == TRUE /\ WF_n(Next)
Both == Fair /\ Safety
Spec == Both
Again == []<>(n = 2)
=============================================================================
