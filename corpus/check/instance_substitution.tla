----------------------- MODULE instance_substitution -----------------------
EXTENDS Naturals
VARIABLE x
---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Max
VARIABLE c
Init == c = 0
Next == c' = IF c < Max THEN c + 1 ELSE 0
InRange == c \in 0..Max
========================
C == INSTANCE Counter WITH Max <- 4, c <- x
Spec == C!Init /\ [][C!Next]_x
Inv == C!InRange
=============================================================================
