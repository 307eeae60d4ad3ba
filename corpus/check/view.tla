-------------------------------- MODULE view --------------------------------
\* Only x tells states apart.
EXTENDS Naturals
VARIABLES x, history
v == x
Init == x = 0 /\ history = 0
Next == x' = (x + 1) % 3 /\ history' = history + 1
=============================================================================
