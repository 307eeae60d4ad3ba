-------------------------------- MODULE Jobs --------------------------------
(* Workers take jobs from a queue. A worker that goes down gives its job back. The graph of this specification is
   large, has many cycles, and yet never quite returns to where it was, because finished jobs stay finished: a good
   exercise for whoever has to cover all of its edges. *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS Worker, Jobs

VARIABLES status, queued, finished

vars == <<status, queued, finished>>

Busy == {w \in Worker : status[w] \in {"claimed", "running"}}

TypeOK ==
    /\ status \in [Worker -> {"idle", "claimed", "running", "down"}]
    /\ queued \in 0..Jobs
    /\ finished \in 0..Jobs

NothingLost == queued + Cardinality(Busy) + finished <= Jobs

Init ==
    /\ status = [w \in Worker |-> "idle"]
    /\ queued = 0
    /\ finished = 0

Submit ==
    /\ queued + Cardinality(Busy) + finished < Jobs
    /\ queued' = queued + 1
    /\ UNCHANGED <<status, finished>>

Claim(w) ==
    /\ status[w] = "idle"
    /\ queued > 0
    /\ queued' = queued - 1
    /\ status' = [status EXCEPT ![w] = "claimed"]
    /\ UNCHANGED finished

Start(w) ==
    /\ status[w] = "claimed"
    /\ status' = [status EXCEPT ![w] = "running"]
    /\ UNCHANGED <<queued, finished>>

Finish(w) ==
    /\ status[w] = "running"
    /\ status' = [status EXCEPT ![w] = "idle"]
    /\ finished' = finished + 1
    /\ UNCHANGED queued

GoDown(w) ==
    /\ status[w] # "down"
    /\ status' = [status EXCEPT ![w] = "down"]
    /\ queued' = IF w \in Busy THEN queued + 1 ELSE queued
    /\ UNCHANGED finished

ComeBack(w) ==
    /\ status[w] = "down"
    /\ status' = [status EXCEPT ![w] = "idle"]
    /\ UNCHANGED <<queued, finished>>

Next ==
    \/ Submit
    \/ \E w \in Worker : Claim(w) \/ Start(w) \/ Finish(w) \/ GoDown(w) \/ ComeBack(w)

Interchangeable == Permutations(Worker)

Spec == Init /\ [][Next]_vars
=============================================================================
