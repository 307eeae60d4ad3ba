----------------------------- MODULE PostgreSQL -----------------------------
(***************************************************************************)
(* A primary, and standbys that stream from it. Any of them ends, in order *)
(* or not, and misses writes. While there is no primary, any standby that  *)
(* runs is promoted, whether it has every write or not, and the others     *)
(* follow it: what they have and it has not is given up. A primary that    *)
(* comes back after that becomes a standby. If nobody was promoted, it     *)
(* goes on as the primary.                                                 *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Nobody,     \* the primary at the beginning
          Ops,        \* how many writes are made in all
          Failures    \* how often a replica fails in all

VARIABLES write,      \* the last write that a replica has
          up,         \* who runs
          primary,    \* who was promoted last
          used,       \* how many writes have been made
          failed      \* how often a replica has failed

vars == <<write, up, primary, used, failed>>

Serves == primary \in up

TypeOK == /\ write \in [Replicas -> 0..Ops]
          /\ up \subseteq Replicas
          /\ primary \in Replicas \cup {Nobody}
          /\ used \in 0..Ops
          /\ failed \in 0..Failures

Init == /\ write = [r \in Replicas |-> 0]
        /\ up = Replicas
        /\ primary = Nobody
        /\ used = 0
        /\ failed = 0

\* The writes if everybody of `running` follows r.
Followed(r, running) == [s \in Replicas |-> IF s \in running THEN write[r] ELSE write[s]]

\* Standbys that run get what the primary writes.
Write ==
    /\ Serves /\ used < Ops
    /\ used' = used + 1
    /\ write' = [r \in Replicas |-> IF r \in up THEN used' ELSE write[r]]
    /\ UNCHANGED <<up, primary, failed>>

Fail(r, how) ==
    /\ r \in up /\ failed < Failures
    /\ up' = up \ {r}
    /\ failed' = failed + 1
    /\ UNCHANGED <<write, primary, used>>

Promote(r) ==
    /\ ~Serves /\ r \in up
    /\ primary' = r
    /\ write' = Followed(r, up)
    /\ UNCHANGED <<up, used, failed>>

Return(r) ==
    /\ r \notin up
    /\ up' = up \cup {r}
    /\ write' = IF primary \in up' THEN Followed(primary, up') ELSE write
    /\ UNCHANGED <<primary, used, failed>>

Next == Write \/ \E r \in Replicas : Promote(r) \/ Return(r) \/ \E how \in {"kill", "stop"} : Fail(r, how)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* Those that run have what the primary has.
Follows == Serves => \A r \in up : write[r] = write[primary]
Done == used = Ops /\ up = Replicas /\ Serves
Ends == <>Done

Interchangeable == Permutations(Replicas)
=============================================================================
