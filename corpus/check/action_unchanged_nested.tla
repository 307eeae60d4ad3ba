---------------------- MODULE action_unchanged_nested ----------------------
EXTENDS Naturals
VARIABLES a, b, c, d
ab == <<a, b>>
vars == <<ab, c, <<d>>>>
Init == a = 0 /\ b = 0 /\ c = 0 /\ d = 0
IncA == a < 2 /\ a' = a + 1 /\ UNCHANGED <<b, c, d>>
IncC == c < 2 /\ c' = c + 1 /\ UNCHANGED ab /\ UNCHANGED d
Stay == UNCHANGED vars
Next == IncA \/ IncC \/ Stay
=============================================================================
