--------------------------- MODULE action_choose ---------------------------
EXTENDS Naturals
VARIABLES todo, done
Init == todo = {1, 2, 3} /\ done = {}
Next == \/ /\ todo # {}
           /\ LET x == CHOOSE x \in todo : \A y \in todo : x <= y
              IN todo' = todo \ {x} /\ done' = done \cup {x}
        \/ todo = {} /\ todo' = done /\ done' = {}
=============================================================================
