---- MODULE unchanged_read_primed ----
\* An action may read with a prime what it leaves unchanged: then it does depend on that variable.
EXTENDS Naturals
VARIABLES load, turn, alarm, ticks

High == load' > 2
Tell == IF High THEN alarm' = TRUE ELSE alarm' = FALSE

Init == load = 0 /\ turn = 0 /\ alarm = FALSE /\ ticks = 0
Work == turn = 0 /\ load < 4 /\ load' \in {load + 1, load + 2} /\ turn' = 1 /\ UNCHANGED <<alarm, ticks>>
Look == turn = 1 /\ turn' = 2 /\ UNCHANGED load /\ Tell /\ UNCHANGED ticks
Rest == turn = 2 /\ ticks < 3 /\ ticks' = ticks + 1 /\ turn' = 0 /\ UNCHANGED <<load, alarm>>
Next == Work \/ Look \/ Rest

Inv == turn = 2 => (alarm <=> load > 2)
====
