------------------------------- MODULE Learner ------------------------------
(***************************************************************************)
(* A member of a cluster is replaced: it loses its data and its vote, and  *)
(* comes back as a learner, which gets everything but does not count for a *)
(* majority. When it has caught up, it is promoted. Members are killed on  *)
(* the way, and writes go on.                                              *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Ops,        \* how many writes are made in all
          Failures    \* how often a member is killed in all

VARIABLES last,       \* the last write that a replica has, or -1 if it has no data
          up,         \* who runs
          learners,   \* who has no vote
          used,       \* how many writes have been made
          failed,     \* how often a member was killed
          replaced    \* whether a member was replaced

vars == <<last, up, learners, used, failed, replaced>>

\* Whether these can elect a leader. Two must run, or nobody would be behind.
Serve(running, without) ==
    LET voters == Replicas \ without IN 2 * Cardinality(running \cap voters) > Cardinality(voters)
Max(S) == CHOOSE m \in S : \A n \in S : n <= m
Even(running) == [r \in Replicas |-> IF r \in running THEN Max({last[s] : s \in running}) ELSE last[r]]

TypeOK == /\ last \in [Replicas -> -1..Ops]
          /\ up \subseteq Replicas /\ learners \subseteq Replicas
          /\ used \in 0..Ops /\ failed \in 0..Failures /\ replaced \in BOOLEAN

Init == /\ last = [r \in Replicas |-> 0]
        /\ up = Replicas /\ learners = {}
        /\ used = 0 /\ failed = 0 /\ replaced = FALSE

Write == /\ Serve(up, learners) /\ used < Ops
         /\ used' = used + 1
         /\ last' = [r \in Replicas |-> IF r \in up THEN used' ELSE last[r]]
         /\ UNCHANGED <<up, learners, failed, replaced>>

Kill(r) == /\ r \in up /\ failed < Failures
           /\ up' = up \ {r}
           /\ failed' = failed + 1
           /\ UNCHANGED <<last, learners, used, replaced>>

Return(r) == /\ r \notin up
             /\ up' = up \cup {r}
             /\ last' = IF Serve(up', learners) THEN Even(up') ELSE last
             /\ UNCHANGED <<learners, used, failed, replaced>>

\* The others agree to it while they still are a majority of all members.
Replace(r) == /\ ~replaced /\ Serve(up \ {r}, {})
              /\ replaced' = TRUE
              /\ up' = up \ {r} /\ learners' = {r}
              /\ last' = [last EXCEPT ![r] = -1]
              /\ UNCHANGED <<used, failed>>

Promote(r) == /\ r \in learners \cap up /\ Serve(up, learners)
              /\ learners' = {}
              /\ UNCHANGED <<last, up, used, failed, replaced>>

Next == Write \/ \E r \in Replicas : Kill(r) \/ Return(r) \/ Replace(r) \/ Promote(r)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

Done == used = Ops /\ replaced /\ learners = {} /\ up = Replicas
Ends == <>Done
Interchangeable == Permutations(Replicas)
=============================================================================
