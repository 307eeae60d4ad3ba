----------------------------- MODULE PostgreSQL -----------------------------
(***************************************************************************)
(* A primary, and standbys that stream from it. A standby that stands      *)
(* still misses writes. When the primary was killed, any standby that runs *)
(* is promoted, whether it has every write or not, and the others follow   *)
(* it: what they have and it has not is given up. A primary that comes     *)
(* back after that becomes a standby. If nobody was promoted, it goes on.  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Nobody,     \* the primary at the beginning
          Ops,        \* how many writes are made in all
          Failures    \* how often a replica fails in all

VARIABLES write,      \* the last write that a replica has
          status,     \* "up", "paused" or "down"
          primary,    \* who was promoted last
          used,       \* how many writes have been made
          failed      \* how often a replica has failed

vars == <<write, status, primary, used, failed>>

Up == {r \in Replicas : status[r] = "up"}
Serves == primary \in Up

TypeOK == /\ write \in [Replicas -> 0..Ops]
          /\ status \in [Replicas -> {"up", "paused", "down"}]
          /\ primary \in Replicas \cup {Nobody}
          /\ used \in 0..Ops
          /\ failed \in 0..Failures

Init == /\ write = [r \in Replicas |-> 0]
        /\ status = [r \in Replicas |-> "up"]
        /\ primary = Nobody
        /\ used = 0
        /\ failed = 0

\* Who follows r when r is promoted, or comes back as the primary: everybody who runs has what r has.
Followed(r, up) == [s \in Replicas |-> IF s \in up THEN write[r] ELSE write[s]]

\* Standbys that run get what the primary writes.
Write ==
    /\ Serves /\ used < Ops
    /\ used' = used + 1
    /\ write' = [r \in Replicas |-> IF r \in Up THEN used' ELSE write[r]]
    /\ UNCHANGED <<status, primary, failed>>

Kill(r) ==
    /\ r \in Up /\ failed < Failures
    /\ status' = [status EXCEPT ![r] = "down"]
    /\ failed' = failed + 1
    /\ UNCHANGED <<write, primary, used>>

Pause(r) ==
    /\ r \in Up \ {primary} /\ failed < Failures
    /\ status' = [status EXCEPT ![r] = "paused"]
    /\ failed' = failed + 1
    /\ UNCHANGED <<write, primary, used>>

Promote(r) ==
    /\ ~Serves /\ r \in Up
    /\ primary' = r
    /\ write' = Followed(r, Up)
    /\ UNCHANGED <<status, used, failed>>

Return(r) ==
    /\ status[r] # "up"
    /\ status' = [status EXCEPT ![r] = "up"]
    /\ write' = IF primary \in Up \cup {r} THEN Followed(primary, Up \cup {r}) ELSE write
    /\ UNCHANGED <<primary, used, failed>>

Next == Write \/ \E r \in Replicas : Kill(r) \/ Pause(r) \/ Promote(r) \/ Return(r)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* Those that run have what the primary has.
Follows == Serves => \A r \in Up : write[r] = write[primary]
Done == used = Ops /\ Up = Replicas /\ Serves
Ends == <>Done

Interchangeable == Permutations(Replicas)
=============================================================================
