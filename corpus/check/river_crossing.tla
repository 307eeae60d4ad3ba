--------------------------- MODULE river_crossing ---------------------------
\* Wolf, goat and cabbage; the counterexample is the solution.
EXTENDS Naturals, FiniteSets
VARIABLES bank, boat
All == {"wolf", "goat", "cabbage"}
Safe(S) == ~({"wolf", "goat"} \subseteq S) /\ ~({"goat", "cabbage"} \subseteq S)
Init == bank = All /\ boat = TRUE
Next == /\ boat' = ~boat
        /\ LET here == IF boat THEN bank ELSE All \ bank
           IN \E S \in {T \in SUBSET here : Cardinality(T) <= 1} :
                /\ Safe(here \ S)
                /\ bank' = IF boat THEN bank \ S ELSE bank \cup S
NotSolved == bank # {}
=============================================================================
