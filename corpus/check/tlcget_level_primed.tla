---- MODULE tlcget_level_primed ----
\* The level of the next state is that of the current one plus one; an initial predicate is at level 0.
EXTENDS Naturals, TLC
VARIABLES x, here, there

Init == x = 0 /\ here = TLCGet("level") /\ there = 1
Next == /\ x < 3
        /\ x' = x + 1
        /\ here' = TLCGet("level")
        /\ there' = TLCGet("level")'
        /\ Assert(TLCGet("level")' = TLCGet("level") + 1, "one level on")

Inv == here + 1 = there /\ there = TLCGet("level")
Step == TLCGet("level")' > TLCGet("level")
====
