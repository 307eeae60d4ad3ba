---- MODULE init_choices ----
\* The first choice is among elements that differ in how many initial states they lead to.
EXTENDS Integers, TLC
VARIABLES chosen, below, rest
Init == /\ Assert(1 < 2, "never")
        /\ chosen \in {7, 0, 3, 5, 1}
        /\ below \in SUBSET (0..(chosen - 1))
        /\ rest \in IF chosen = 3 THEN {} ELSE [below -> {chosen}]
        /\ \/ chosen % 2 = 1
           \/ below = {}
Next == /\ chosen > 0
        /\ chosen' = chosen - 1
        /\ below' = below \ {chosen'}
        /\ UNCHANGED rest
Spec == Init /\ [][Next]_<<chosen, below, rest>>
Small == rest # (0 :> 5 @@ 4 :> 5)
====
