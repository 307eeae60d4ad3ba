---- MODULE init_choices_error ----
\* The evaluation fails for one of the first choices; what comes before it counts.
EXTENDS Integers
VARIABLES place, value
Table == <<10, 20, 30>>
Init == /\ place \in 1..5
        /\ value = Table[place]
Next == UNCHANGED <<place, value>>
====
