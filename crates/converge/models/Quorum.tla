------------------------------- MODULE Quorum -------------------------------
(***************************************************************************)
(* Replicas that need a majority are driven apart and back together.       *)
(*                                                                         *)
(* The behaviors of this module up to Done, up to exchanging replicas in   *)
(* equal state, are the schedules of `model = "quorum"`.                   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Ops,        \* how many writes are made in all
          Return      \* who comes back while a majority serves: "all" that are down, or "some" of them

VARIABLES write,      \* the last write that a replica has seen
          up,         \* the replicas that run
          last,       \* of those that are down: how many writes had been made when it crashed
          used        \* how many writes have been made

vars == <<write, up, last, used>>

IsMajority(S) == 2 * Cardinality(S) > Cardinality(Replicas)
Max(S) == CHOOSE m \in S : \A n \in S : n <= m

TypeOK == /\ write \in [Replicas -> 0..Ops]
          /\ up \subseteq Replicas
          /\ last \in [Replicas -> 0..Ops]
          /\ \A r \in up : last[r] = 0
          /\ used \in 0..Ops

Init == /\ write = [r \in Replicas |-> 0]
        /\ up = Replicas
        /\ last = [r \in Replicas |-> 0]
        /\ used = 0

\* Each replica that is up gets the first few of k writes. One gets all, not everybody does; then all crash.
Diverge(k, got) ==
    /\ IsMajority(up)
    /\ \E r \in up : got[r] = k
    /\ ~ (up = Replicas /\ \A r \in up : got[r] = k)
    /\ write' = [r \in Replicas |-> IF r \in up /\ got[r] > 0 THEN used + got[r] ELSE write[r]]
    /\ used' = used + k
    /\ up' = {}
    /\ last' = [r \in Replicas |-> IF r \in up THEN used' ELSE last[r]]

\* Some that are down come up, so that there is a majority; whoever is up takes the latest write among them.
Converge(rising) ==
    /\ IsMajority(up \cup rising)
    /\ Return = "all" /\ IsMajority(up) => rising = Replicas \ up
    /\ up' = up \cup rising
    /\ last' = [r \in Replicas |-> IF r \in rising THEN 0 ELSE last[r]]
    /\ LET latest == Max({write[r] : r \in up'})
       IN  write' = [r \in Replicas |-> IF r \in up' THEN latest ELSE write[r]]
    /\ UNCHANGED used

Next == \/ \E k \in 1..(Ops - used) : \E got \in [up -> 0..k] : Diverge(k, got)
        \/ \E rising \in (SUBSET (Replicas \ up)) \ {{}} : Converge(rising)

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* What a majority runs on is at least as late as what any majority has had before.
UpAgree == \A r, s \in up : write[r] = write[s]

\* Here a schedule ends: all writes are made, and everybody is back.
Done == used = Ops /\ up = Replicas
Ends == <>Done

Interchangeable == Permutations(Replicas)
=============================================================================
