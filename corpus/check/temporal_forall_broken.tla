----------------------- MODULE temporal_forall_broken -----------------------
\* Two of the three may keep it among them.
EXTENDS Naturals
CONSTANT P
VARIABLE turn
Init == turn \in P
Pass == \E p \in P : p # turn /\ turn' = p
Spec == Init /\ [][Pass]_turn /\ WF_turn(Pass)
Everyone == \A p \in P : []<>(turn = p)
=============================================================================
