---- MODULE view_of_symmetric_state ----
EXTENDS TLC
CONSTANT Node
VARIABLES x, z
Init == x \in Node /\ z = CHOOSE n \in Node : TRUE
Next == UNCHANGED <<x, z>>
View == z
Symmetry == Permutations(Node)
====
