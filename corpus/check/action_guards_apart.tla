------------------------ MODULE action_guards_apart -------------------------
\* Conditions at the start of actions read what the rest of the action does not: the same rest is met with them true and false.
EXTENDS Naturals
CONSTANT N
VARIABLES door, lamp, count, last
vars == <<door, lamp, count, last>>
Init == /\ door = "open"
        /\ lamp \in BOOLEAN
        /\ count = [i \in 1..N |-> 0]
        /\ last = 0
Enter(i) == /\ door = "open"
            /\ last # i
            /\ count[i] < 3
            /\ count' = [count EXCEPT ![i] = @ + 1]
            /\ last' = i
            /\ UNCHANGED <<door, lamp>>
Leave(i) == LET left == count[i] - 1 IN
            /\ lamp
            /\ left >= 0
            /\ count' = [count EXCEPT ![i] = left]
            /\ UNCHANGED <<door, lamp, last>>
Shut == /\ door = "open"
        /\ \A i \in 1..N : count[i] = 0
        /\ door' = "shut"
        /\ UNCHANGED <<lamp, count, last>>
Open == door = "shut" /\ lamp' = ~lamp /\ door' = "open" /\ UNCHANGED <<count, last>>
Switch == lamp' = ~lamp /\ door = "shut" /\ UNCHANGED <<door, count, last>>
Next == Shut \/ Open \/ Switch \/ \E i \in 1..N : Enter(i) \/ Leave(i)
Empty == door = "shut" => \A i \in 1..N : count[i] = 0
=============================================================================
