----------------------------- MODULE action_if -----------------------------
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == IF x < 3
        THEN x' = x + 1 /\ (IF x = 1 THEN y' = 1 ELSE UNCHANGED y)
        ELSE x' = 0 /\ y' \in {0, 1}
=============================================================================
