------------------------ MODULE pluscal_counter_lost ------------------------
\* The lost update that the previous one permits.
EXTENDS Naturals
VARIABLES total, pc, tmp
vars == << total, pc, tmp >>
ProcSet == (1..3)
Init == /\ total = 0
        /\ tmp = [self \in ProcSet |-> 0]
        /\ pc = [self \in ProcSet |-> "read"]
read(self) == /\ pc[self] = "read"
              /\ tmp' = [tmp EXCEPT ![self] = total]
              /\ pc' = [pc EXCEPT ![self] = "write"]
              /\ total' = total
write(self) == /\ pc[self] = "write"
               /\ total' = tmp[self] + 1
               /\ pc' = [pc EXCEPT ![self] = "Done"]
               /\ tmp' = tmp
Terminating == (\A self \in ProcSet: pc[self] = "Done") /\ UNCHANGED vars
Next == (\E self \in ProcSet: read(self) \/ write(self)) \/ Terminating
Spec == Init /\ [][Next]_vars
NoLostUpdate == (\A self \in ProcSet : pc[self] = "Done") => total = 3
=============================================================================
