-------------------------- MODULE pluscal_counter --------------------------
\* Two processes that add to a shared counter, in the shape of a PlusCal translation.
EXTENDS Naturals, Sequences, TLC
(* --algorithm add { variable total = 0; process (p \in 1..2) variable tmp = 0; { read: tmp := total; write: total := tmp + 1; } } *)
\* BEGIN TRANSLATION
VARIABLES total, pc, tmp
vars == << total, pc, tmp >>
ProcSet == (1..2)
Init == (* Global variables *)
        /\ total = 0
        (* Process p *)
        /\ tmp = [self \in 1..2 |-> 0]
        /\ pc = [self \in ProcSet |-> "read"]
read(self) == /\ pc[self] = "read"
              /\ tmp' = [tmp EXCEPT ![self] = total]
              /\ pc' = [pc EXCEPT ![self] = "write"]
              /\ total' = total
write(self) == /\ pc[self] = "write"
               /\ total' = tmp[self] + 1
               /\ pc' = [pc EXCEPT ![self] = "Done"]
               /\ tmp' = tmp
p(self) == read(self) \/ write(self)
(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars
Next == (\E self \in 1..2: p(self))
           \/ Terminating
Spec == Init /\ [][Next]_vars
Termination == <>(\A self \in ProcSet: pc[self] = "Done")
\* END TRANSLATION
Sum == total <= 2
=============================================================================
