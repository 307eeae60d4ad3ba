------------------------------ MODULE Observer ------------------------------
(***************************************************************************)
(* A store whose voters elect a leader, and an observer, which does not    *)
(* vote: it gets what the voters have agreed on. Some of them are killed   *)
(* or paused while the others go on, and come back.                        *)
(*                                                                         *)
(* Who leads is the system's choice. The model learns it when somebody     *)
(* fails: `lead` is the voter that leads then.                             *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* all servers
          Watcher,    \* the one of them that observes
          Ops,        \* how many writes are made in all
          Failures    \* how often servers fail in all

VARIABLES write,      \* the last write that a server has
          status,     \* "up", "kill" or "pause"
          led,        \* the voters that led when they failed last
          used,       \* how many writes have been made
          failed      \* how often servers have failed

Voters == Replicas \ {Watcher}
\* Those who serve: a majority of the voters, and of all, because Kilter waits for no fewer.
IsMajority(S) == 2 * Cardinality(S \cap Voters) > Cardinality(Voters) /\ 2 * Cardinality(S) > Cardinality(Replicas)
Max(S) == CHOOSE m \in S : \A n \in S : n <= m
Up == {r \in Replicas : status[r] = "up"}

Init == /\ write = [r \in Replicas |-> 0]
        /\ status = [r \in Replicas |-> "up"]
        /\ led = {}
        /\ used = 0
        /\ failed = 0

\* Some fail, and a majority of voters stays, or nobody does.
Fail(fault, victims, lead) ==
    /\ IsMajority(Up) /\ failed < Failures
    /\ IsMajority(Up \ victims) \/ victims = Up
    /\ status' = [r \in Replicas |-> IF r \in victims THEN fault ELSE status[r]]
    /\ led' = led \cup (victims \cap {lead})
    /\ failed' = failed + 1
    /\ UNCHANGED <<write, used>>

\* Everybody who runs gets a write.
Write ==
    /\ IsMajority(Up) /\ used < Ops
    /\ used' = used + 1
    /\ write' = [r \in Replicas |-> IF r \in Up THEN used' ELSE write[r]]
    /\ UNCHANGED <<status, led, failed>>

\* Some come back, and all that run have the same.
Return(who) ==
    /\ IsMajority(Up \cup who)
    /\ status' = [r \in Replicas |-> IF r \in who THEN "up" ELSE status[r]]
    /\ led' = led \ who
    /\ LET latest == Max({write[r] : r \in Up \cup who})
       IN  write' = [r \in Replicas |-> IF r \in Up \cup who THEN latest ELSE write[r]]
    /\ UNCHANGED <<used, failed>>

Next == \/ \E lead \in Up \cap Voters, victims \in (SUBSET Up) \ {{}}, fault \in {"kill", "pause"} : Fail(fault, victims, lead)
        \/ Write
        \/ \E who \in (SUBSET (Replicas \ Up)) \ {{}} : Return(who)

\* Here a schedule ends: all writes are made, everybody is back, and something has failed.
Done == used = Ops /\ Up = Replicas /\ failed > 0

\* The observer is not equal to the others.
Interchangeable == Permutations(Voters)
=============================================================================
