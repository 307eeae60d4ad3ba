----------------------------- MODULE stuttering -----------------------------
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == (x' = (x + 1) % 2 /\ UNCHANGED y) \/ UNCHANGED vars
Spec == Init /\ [][Next]_vars
=============================================================================
