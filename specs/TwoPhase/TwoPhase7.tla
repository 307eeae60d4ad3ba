------------------------------ MODULE TwoPhase7 ------------------------------
(* Two-phase commit: a coordinator asks a set of resource managers for their  *)
(* votes and tells them the outcome.  The network is a set of messages that   *)
(* only grows, so a message can be received again and again, and is never     *)
(* lost, merely not received yet.  The configuration beside this module has   *)
(* seven resource managers: 296,448 distinct states, which makes it a         *)
(* benchmark of successor computation on small values.                        *)
CONSTANT RM                  \* the resource managers

VARIABLES
  vote,                      \* vote[r]: where resource manager r stands
  outcome,                   \* what the coordinator has decided
  yes,                       \* the managers whose "prepared" has reached the coordinator
  sent                       \* every message ever sent

vars == <<vote, outcome, yes, sent>>

Prepared(r) == [type |-> "prepared", from |-> r]
Decision(d) == [type |-> d]

Message == [type : {"prepared"}, from : RM] \cup [type : {"commit", "abort"}]

TypeOK ==
  /\ vote \in [RM -> {"working", "prepared", "committed", "aborted"}]
  /\ outcome \in {"open", "committed", "aborted"}
  /\ yes \subseteq RM
  /\ sent \subseteq Message

Init ==
  /\ vote = [r \in RM |-> "working"]
  /\ outcome = "open"
  /\ yes = {}
  /\ sent = {}

-----------------------------------------------------------------------------
(* The coordinator.                                                           *)

HearPrepared(r) ==
  /\ outcome = "open"
  /\ Prepared(r) \in sent
  /\ yes' = yes \cup {r}
  /\ UNCHANGED <<vote, outcome, sent>>

DecideCommit ==
  /\ outcome = "open"
  /\ yes = RM
  /\ outcome' = "committed"
  /\ sent' = sent \cup {Decision("commit")}
  /\ UNCHANGED <<vote, yes>>

DecideAbort ==
  /\ outcome = "open"
  /\ outcome' = "aborted"
  /\ sent' = sent \cup {Decision("abort")}
  /\ UNCHANGED <<vote, yes>>

-----------------------------------------------------------------------------
(* A resource manager.                                                        *)

Prepare(r) ==
  /\ vote[r] = "working"
  /\ vote' = [vote EXCEPT ![r] = "prepared"]
  /\ sent' = sent \cup {Prepared(r)}
  /\ UNCHANGED <<outcome, yes>>

GiveUp(r) ==
  /\ vote[r] = "working"
  /\ vote' = [vote EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<outcome, yes, sent>>

LearnCommit(r) ==
  /\ Decision("commit") \in sent
  /\ vote' = [vote EXCEPT ![r] = "committed"]
  /\ UNCHANGED <<outcome, yes, sent>>

LearnAbort(r) ==
  /\ Decision("abort") \in sent
  /\ vote' = [vote EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<outcome, yes, sent>>

-----------------------------------------------------------------------------
Next ==
  \/ DecideCommit
  \/ DecideAbort
  \/ \E r \in RM :
       HearPrepared(r) \/ Prepare(r) \/ GiveUp(r) \/ LearnCommit(r) \/ LearnAbort(r)

Spec == Init /\ [][Next]_vars

(* No two resource managers end differently.                                  *)
Consistent ==
  \A r, s \in RM : ~ (vote[r] = "committed" /\ vote[s] = "aborted")
=============================================================================
