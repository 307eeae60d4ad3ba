------------------------ MODULE action_several_places ------------------------
\* One action stands at several places of Next: with the same arguments it is the same step.
EXTENDS Naturals
VARIABLE x
Init == x = 0
A(i) == x < 2 /\ x' = x + i
Next == A(1) \/ (\E i \in {1, 2} : A(i)) \/ (\E j \in {1, 2} : A(j))
=============================================================================
