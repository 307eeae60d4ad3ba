-------------------- MODULE temporal_refinement_mapping ---------------------
\* The mapping is an expression over two variables: hours from a count of half hours.
EXTENDS Naturals
VARIABLES halves, lag
vars == <<halves, lag>>
Init == halves = 0 /\ lag = 0
Next == \/ lag = 0 /\ lag' = 1 /\ halves' = (halves + 1) % 6
        \/ lag = 1 /\ lag' = 0 /\ halves' = halves
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Clock == INSTANCE temporal_refinement_abstract_clock WITH Hours <- 3, hour <- halves \div 2
Refines == Clock!Spec
=============================================================================
