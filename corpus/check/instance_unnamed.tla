-------------------------- MODULE instance_unnamed --------------------------
---- MODULE Core ----
EXTENDS Naturals
CONSTANT Max
VARIABLE c
Init == c = 0
Next == c' = IF c < Max THEN c + 1 ELSE 0
InRange == c \in 0..Max
=====================
VARIABLE c
INSTANCE Core WITH Max <- 3
=============================================================================
