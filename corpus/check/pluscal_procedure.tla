------------------------- MODULE pluscal_procedure -------------------------
\* Procedure calls with a stack of records, as the translator writes them.
EXTENDS Naturals, Sequences
VARIABLES result, pc, stack, n
vars == << result, pc, stack, n >>
ProcSet == {0}
Init == /\ result = 0
        /\ n = [ self \in ProcSet |-> 0]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "Main"]
Enter(self) == /\ pc[self] = "Enter"
               /\ IF n[self] > 0
                     THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "Sum",
                                                                   pc        |->  "Add",
                                                                   n         |->  n[self] ] >>
                                                               \o stack[self]]
                          /\ n' = [n EXCEPT ![self] = n[self] - 1]
                          /\ pc' = [pc EXCEPT ![self] = "Enter"]
                     ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                          /\ n' = [n EXCEPT ![self] = Head(stack[self]).n]
                          /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
               /\ UNCHANGED result
Add(self) == /\ pc[self] = "Add"
             /\ result' = result + n[self]
             /\ IF stack[self] = <<>>
                   THEN /\ pc' = [pc EXCEPT ![self] = "Done"]
                        /\ UNCHANGED <<n, stack>>
                   ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                        /\ n' = [n EXCEPT ![self] = Head(stack[self]).n]
                        /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
Main(self) == /\ pc[self] = "Main"
              /\ \E k \in 1..4 : n' = [n EXCEPT ![self] = k]
              /\ pc' = [pc EXCEPT ![self] = "Enter"]
              /\ UNCHANGED << result, stack >>
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars
Next == (\E self \in ProcSet : Main(self) \/ Enter(self) \/ Add(self)) \/ Terminating
Spec == Init /\ [][Next]_vars
StackOk == \A self \in ProcSet : Len(stack[self]) <= 4
=============================================================================
