------------------------ MODULE two_phase_symmetric ------------------------
EXTENDS TLC
CONSTANT RM
VARIABLES rm, tm, prepared
vars == <<rm, tm, prepared>>
Sym == Permutations(RM)
Init == rm = [r \in RM |-> "working"] /\ tm = "init" /\ prepared = {}
Prepare(r) == rm[r] = "working" /\ rm' = [rm EXCEPT ![r] = "prepared"] /\ UNCHANGED <<tm, prepared>>
Note(r) == tm = "init" /\ rm[r] = "prepared" /\ prepared' = prepared \cup {r} /\ UNCHANGED <<rm, tm>>
Decide == tm = "init" /\ tm' = (IF prepared = RM THEN "commit" ELSE "abort") /\ UNCHANGED <<rm, prepared>>
Learn(r) == tm # "init" /\ rm' = [rm EXCEPT ![r] = tm] /\ UNCHANGED <<tm, prepared>>
Next == Decide \/ \E r \in RM : Prepare(r) \/ Note(r) \/ Learn(r)
Spec == Init /\ [][Next]_vars
Consistent == \A r, s \in RM : ~(rm[r] = "abort" /\ rm[s] = "commit")
=============================================================================
