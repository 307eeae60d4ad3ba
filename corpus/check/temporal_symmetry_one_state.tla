-------------------- MODULE temporal_symmetry_one_state ---------------------
\* Up to symmetry there is one state, and a step that leads back to it; yet it is a step.
EXTENDS Naturals, TLC
CONSTANT P
VARIABLE turn
Init == turn \in P
Pass == \E p \in P : p # turn /\ turn' = p
Spec == Init /\ [][Pass]_turn /\ WF_turn(Pass)
Moves == []<><<Pass>>_turn
Perms == Permutations(P)
=============================================================================
