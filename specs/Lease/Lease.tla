---------------------------------- MODULE Lease ----------------------------------
(* One node holds a lease and serves. Another one takes over when its own clock says that the lease has run out. A clock that jumps  *)
(* makes that happen too early.                                                                                                        *)
EXTENDS FiniteSets, Naturals

CONSTANT Node, First

VARIABLES serves,   \* who serves
          ahead     \* whose clock has jumped

vars == <<serves, ahead>>

Init == /\ serves = [n \in Node |-> n = First]
        /\ ahead = [n \in Node |-> FALSE]

ClockJumps(n) == /\ ~ahead[n]
                 /\ ahead' = [ahead EXCEPT ![n] = TRUE]
                 /\ UNCHANGED serves

TakeOver(n) == /\ ahead[n]
               /\ n # First
               /\ ~serves[n]
               /\ serves' = [serves EXCEPT ![n] = TRUE]
               /\ UNCHANGED ahead

GiveUp == /\ ahead[First]
          /\ serves[First]
          /\ serves' = [serves EXCEPT ![First] = FALSE]
          /\ UNCHANGED ahead

Next == GiveUp \/ \E n \in Node : ClockJumps(n) \/ TakeOver(n)

Spec == Init /\ [][Next]_vars

\* What a lease is for. It holds as long as no clock jumps.
OneServes == Cardinality({n \in Node : serves[n]}) <= 1
==================================================================================
