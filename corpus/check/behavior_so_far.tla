---- MODULE behavior_so_far ----
\* Trace is the behavior up to the current state, in actions and in invariants.
EXTENDS Integers, Sequences, TLC, TLCExt
VARIABLES x, y
Length == x + y + 1
Init == x = 0 /\ y = 0
Right == x < 3 /\ Len(Trace) = Length /\ x' = x + 1 /\ y' = y
Up == x = 2 /\ y < 2 /\ Trace[1].x = 0 /\ y' = y + 1 /\ x' = x
Next == Right \/ Up
Inv == /\ Len(Trace) = Length
       /\ Trace[Len(Trace)] = [x |-> x, y |-> y]
       /\ \A i \in 1..(Len(Trace) - 1) : Trace[i + 1].x + Trace[i + 1].y = Trace[i].x + Trace[i].y + 1
       /\ Trace[Len(Trace)].y < 2 \/ Trace[3] # [x |-> 2, y |-> 0]
====
