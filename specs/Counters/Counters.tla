------------------------------ MODULE Counters ------------------------------
(* Clocks that turn independently: as many states as one likes, for measuring what a state costs. *)
EXTENDS Naturals

CONSTANTS Clock, Hours

VARIABLES hour, last

Init == /\ hour = [c \in Clock |-> 0]
        /\ last \in {0}

Turn(c) == /\ hour' = [hour EXCEPT ![c] = (@ + 1) % Hours]
           /\ last' = hour[c]

Next == \E c \in Clock : Turn(c)

TypeOK == /\ hour \in [Clock -> 0..(Hours - 1)]
          /\ last \in 0..(Hours - 1)
=============================================================================
