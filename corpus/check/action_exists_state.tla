------------------------ MODULE action_exists_state ------------------------
\* The set of an existential quantifier depends on the state.
EXTENDS Naturals
VARIABLE msgs
Init == msgs = {1}
Next == \/ \E m \in msgs : m < 4 /\ msgs' = msgs \cup {m + 1}
        \/ \E m \in msgs : msgs' = msgs \ {m}
        \/ msgs = {} /\ msgs' = {1}
=============================================================================
