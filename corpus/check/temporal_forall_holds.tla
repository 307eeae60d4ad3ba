----------------------- MODULE temporal_forall_holds ------------------------
\* Quantified over a constant set.
EXTENDS Naturals
CONSTANT P
VARIABLE turn
Init == turn \in P
Pass == \E p \in P : p # turn /\ turn' = p
Spec == Init /\ [][Pass]_turn /\ WF_turn(Pass)
Moves == \A p \in P : (turn = p) ~> (turn # p)
=============================================================================
