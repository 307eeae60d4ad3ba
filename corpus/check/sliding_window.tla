--------------------------- MODULE sliding_window ---------------------------
EXTENDS Naturals, Sequences
VARIABLES base, next, expected, data, acks
vars == <<base, next, expected, data, acks>>
W == 2
M == 3
Init == base = 0 /\ next = 0 /\ expected = 0 /\ data = {} /\ acks = {}
Send == next < M /\ next < base + W /\ data' = data \cup {next} /\ next' = next + 1 /\ UNCHANGED <<base, expected, acks>>
Lose == \/ \E d \in data : data' = data \ {d} /\ UNCHANGED <<base, next, expected, acks>>
        \/ \E a \in acks : acks' = acks \ {a} /\ UNCHANGED <<base, next, expected, data>>
Receive == \E d \in data : /\ data' = data \ {d}
                           /\ expected' = IF d = expected THEN expected + 1 ELSE expected
                           /\ acks' = acks \cup {expected'}
                           /\ UNCHANGED <<base, next>>
Ack == \E a \in acks : acks' = acks \ {a} /\ base' = (IF a > base THEN a ELSE base) /\ UNCHANGED <<next, expected, data>>
Back == next > base /\ next' = base /\ UNCHANGED <<base, expected, data, acks>>
Done == base = M /\ UNCHANGED vars
Next == Send \/ Lose \/ Receive \/ Ack \/ Back \/ Done
Spec == Init /\ [][Next]_vars
InOrder == base <= expected /\ expected <= M
=============================================================================
