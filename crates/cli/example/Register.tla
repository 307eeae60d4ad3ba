------------------------------ MODULE Register ------------------------------
(* A register with a primary and backups. The primary numbers the writes, backups copy its latest one, and a client
   is told that its write is safe as soon as a majority has it. When the primary fails, a backup takes over.        *)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Nodes,
    First,      \* the first primary
    WritesMax,  \* this many writes are enough to find the bug
    Careful     \* whether a new primary must be as far as a majority

VARIABLES
    primary,
    stored,     \* stored[n]: the latest write that node n has, 0 if none
    written,    \* the number of writes so far
    safe        \* the latest write that a client was told is safe

vars == <<primary, stored, written, safe>>

Majorities == {Q \in SUBSET Nodes : 2 * Cardinality(Q) > Cardinality(Nodes)}

Init ==
    /\ primary = First
    /\ stored = [n \in Nodes |-> 0]
    /\ written = 0
    /\ safe = 0

Write ==
    /\ written < WritesMax
    /\ written' = written + 1
    /\ stored' = [stored EXCEPT ![primary] = written + 1]
    /\ UNCHANGED <<primary, safe>>

Copy(to) ==
    /\ stored[to] # stored[primary]
    /\ stored' = [stored EXCEPT ![to] = stored[primary]]
    /\ UNCHANGED <<primary, written, safe>>

Confirm ==
    /\ safe < stored[primary]
    /\ \E Q \in Majorities : \A n \in Q : stored[n] = stored[primary]
    /\ safe' = stored[primary]
    /\ UNCHANGED <<primary, stored, written>>

TakeOver(to) ==
    /\ to # primary
    /\ Careful => \E Q \in Majorities : \A n \in Q : stored[n] <= stored[to]
    /\ primary' = to
    /\ UNCHANGED <<stored, written, safe>>

Next ==
    \/ Write
    \/ \E to \in Nodes : Copy(to) \/ TakeOver(to)
    \/ Confirm

Spec == Init /\ [][Next]_vars

NothingLost == stored[primary] >= safe
=============================================================================
