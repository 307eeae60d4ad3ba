---- MODULE Count ----
EXTENDS Naturals, TLC

(*--algorithm Count
variables total = 0;
macro raise(by) begin
  total := total + by;  \* a comment in the algorithm
end macro;
process Adder \in 1..2
variables by = 1;
begin
  Look: await total < 4;
  Add:  raise(by);  (* another one *)
end process;
end algorithm; and some remarks after it *)
\* BEGIN TRANSLATION (chksum(pcal) = "2e2743dd" /\ chksum(tla) = "7fd8171c")
VARIABLES pc, total, by

vars == << pc, total, by >>

ProcSet == (1..2)

Init == (* Global variables *)
        /\ total = 0
        (* Process Adder *)
        /\ by = [self \in 1..2 |-> 1]
        /\ pc = [self \in ProcSet |-> "Look"]

Look(self) == /\ pc[self] = "Look"
              /\ total < 4
              /\ pc' = [pc EXCEPT ![self] = "Add"]
              /\ UNCHANGED << total, by >>

Add(self) == /\ pc[self] = "Add"
             /\ total' = total + by[self]
             /\ pc' = [pc EXCEPT ![self] = "Done"]
             /\ by' = by

Adder(self) == Look(self) \/ Add(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in 1..2: Adder(self))
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
====
