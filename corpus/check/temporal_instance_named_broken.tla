------------------- MODULE temporal_instance_named_broken -------------------
\* The same properties, a specification that turns around early.
EXTENDS Naturals
VARIABLE n
Part == INSTANCE temporal_instance_module_part WITH Top <- 3, v <- n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n /\ WF_n(Next)
Full == Part!Full
=============================================================================
