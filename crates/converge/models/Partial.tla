------------------------------ MODULE Partial -------------------------------
(***************************************************************************)
(* Some of the replicas fail while the others go on, and come back.        *)
(*                                                                         *)
(* A majority serves under a leader. Who leads is the system's choice, so  *)
(* the model learns it only when it matters: when replicas fail, and the   *)
(* leader is or is not among them. From then on the leader is not equal to *)
(* those that follow: `leader` tells them apart while it runs, and `led`   *)
(* after it has failed. The behaviors up to Done, up to exchanging         *)
(* replicas in equal state, are the schedules of `model = "partial"`.      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Nobody,     \* who leads if that is not known
          Ops,        \* how many writes are made in all
          Failures,   \* how often replicas fail in all
          Faults      \* some of "kill", "pause", "cut"

VARIABLES write,      \* the last write that a replica has seen
          status,     \* "up", "kill", "pause" or "cut" (off from all others)
          leader,     \* the replica that leads, if that is known
          led,        \* of those that have failed: who led then
          used,       \* how many writes have been made
          failed      \* how often replicas have failed

vars == <<write, status, leader, led, used, failed>>

IsMajority(S) == 2 * Cardinality(S) > Cardinality(Replicas)
Max(S) == CHOOSE m \in S : \A n \in S : n <= m
Up == {r \in Replicas : status[r] = "up"}
Silent == {r \in Replicas : status[r] \in {"pause", "cut"}}

\* A leader does not notice at once that others stand still or are cut off. It goes on, though nobody acknowledges what it writes.
Lonely == leader \in Up /\ IsMajority(Up \cup Silent)
Serves == IsMajority(Up) \/ Lonely

TypeOK == /\ write \in [Replicas -> 0..Ops]
          /\ status \in [Replicas -> {"up", "kill", "pause", "cut"}]
          /\ leader \in Up \cup {Nobody}
          /\ led \subseteq Replicas \ Up
          /\ used \in 0..Ops
          /\ failed \in 0..Failures

Init == /\ write = [r \in Replicas |-> 0]
        /\ status = [r \in Replicas |-> "up"]
        /\ leader = Nobody
        /\ led = {}
        /\ used = 0
        /\ failed = 0

Leaders == IF leader = Nobody THEN Up ELSE {leader}

\* Some of those that serve under `lead` fail. The others go on: under it, or, if they are a majority, under another one.
Fail(fault, victims, lead) ==
    /\ Serves
    /\ failed < Failures
    /\ status' = [r \in Replicas |-> IF r \in victims THEN fault ELSE status[r]]
    /\ failed' = failed + 1
    /\ led' = led \cup (victims \cap {lead})
    /\ LET rest == Up \ victims
           stays == lead \in rest /\ (IsMajority(rest) \/ (fault # "kill" /\ IsMajority(rest \cup victims \cup Silent)))
       IN  leader' = IF stays THEN lead ELSE Nobody
    /\ UNCHANGED <<write, used>>

\* Everybody who runs gets a write.
Write ==
    /\ Serves
    /\ used < Ops
    /\ used' = used + 1
    /\ write' = [r \in Replicas |-> IF r \in Up THEN used + 1 ELSE write[r]]
    /\ UNCHANGED <<status, leader, led, failed>>

\* Some of those that have failed come back, so that there is a majority, and all that run have the same.
Return(who) ==
    /\ IsMajority(Up \cup who)
    /\ status' = [r \in Replicas |-> IF r \in who THEN "up" ELSE status[r]]
    /\ led' = led \ who
    /\ leader' = IF IsMajority(Up) THEN leader ELSE Nobody
    /\ LET had == IF IsMajority(Up) THEN Up ELSE Up \cup who
           latest == Max({write[r] : r \in had})
       IN  write' = [r \in Replicas |-> IF r \in Up \cup who THEN latest ELSE write[r]]
    /\ UNCHANGED <<used, failed>>

Next == \/ \E lead \in Leaders, victims \in (SUBSET Up) \ {{}}, fault \in Faults : Fail(fault, victims, lead)
        \/ Write
        \/ \E who \in (SUBSET (Replicas \ Up)) \ {{}} : Return(who)

Spec == Init /\ [][Next]_vars

UpAgree == IsMajority(Up) => \A r, s \in Up : write[r] = write[s]

\* Here a schedule ends: all writes are made, everybody is back, and something has failed.
Done == used = Ops /\ Up = Replicas /\ failed > 0

Interchangeable == Permutations(Replicas)
=============================================================================
