------------------- MODULE temporal_instance_parametrised -------------------
\* A parametrised instance, under a quantifier too.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Part(top, var) == INSTANCE temporal_instance_module_part WITH Top <- top, v <- var
Init == x = 0 /\ y = 0
Next == \/ x' = (x + 1) % 3 /\ y' = y
        \/ y' = (y + 1) % 2 /\ x' = x
Spec == Init /\ [][Next]_vars /\ WF_vars(x' = (x + 1) % 3 /\ y' = y) /\ WF_vars(y' = (y + 1) % 2 /\ x' = x)
Both == Part(2, x)!Full /\ Part(1, y)!Full
Small == \A t \in 1..1 : Part(t, y)!Full
=============================================================================
