----------------------------- MODULE two_phase -----------------------------
\* Two-phase commit.
CONSTANT RM
VARIABLES rm, tm, prepared, msgs
vars == <<rm, tm, prepared, msgs>>
Message == [type : {"prepared"}, rm : RM] \cup [type : {"commit", "abort"}]
Init == rm = [r \in RM |-> "working"] /\ tm = "init" /\ prepared = {} /\ msgs = {}
TMReceive(r) == /\ tm = "init"
                /\ [type |-> "prepared", rm |-> r] \in msgs
                /\ prepared' = prepared \cup {r}
                /\ UNCHANGED <<rm, tm, msgs>>
TMCommit == tm = "init" /\ prepared = RM /\ tm' = "done" /\ msgs' = msgs \cup {[type |-> "commit"]} /\ UNCHANGED <<rm, prepared>>
TMAbort == tm = "init" /\ tm' = "done" /\ msgs' = msgs \cup {[type |-> "abort"]} /\ UNCHANGED <<rm, prepared>>
Prepare(r) == /\ rm[r] = "working"
              /\ rm' = [rm EXCEPT ![r] = "prepared"]
              /\ msgs' = msgs \cup {[type |-> "prepared", rm |-> r]}
              /\ UNCHANGED <<tm, prepared>>
Choose(r) == rm[r] = "working" /\ rm' = [rm EXCEPT ![r] = "aborted"] /\ UNCHANGED <<tm, prepared, msgs>>
Commit(r) == [type |-> "commit"] \in msgs /\ rm' = [rm EXCEPT ![r] = "committed"] /\ UNCHANGED <<tm, prepared, msgs>>
Abort(r) == [type |-> "abort"] \in msgs /\ rm' = [rm EXCEPT ![r] = "aborted"] /\ UNCHANGED <<tm, prepared, msgs>>
Next == \/ TMCommit \/ TMAbort
        \/ \E r \in RM : TMReceive(r) \/ Prepare(r) \/ Choose(r) \/ Commit(r) \/ Abort(r)
Spec == Init /\ [][Next]_vars
Consistent == \A r, s \in RM : ~(rm[r] = "aborted" /\ rm[s] = "committed")
TypeOk == msgs \subseteq Message
=============================================================================
