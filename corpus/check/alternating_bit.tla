-------------------------- MODULE alternating_bit --------------------------
\* The alternating-bit protocol over lossy channels of length two.
EXTENDS Naturals, Sequences
VARIABLES sbit, rbit, data, acks, sent, rcvd
vars == <<sbit, rbit, data, acks, sent, rcvd>>
Remove(i, s) == [j \in 1..(Len(s) - 1) |-> IF j < i THEN s[j] ELSE s[j + 1]]
Init == sbit = 0 /\ rbit = 1 /\ data = <<>> /\ acks = <<>> /\ sent = 0 /\ rcvd = 3
Send == Len(data) < 2 /\ data' = Append(data, <<sbit, sent>>) /\ UNCHANGED <<sbit, rbit, acks, sent, rcvd>>
Receive == /\ data # <<>>
           /\ data' = Tail(data)
           /\ IF Head(data)[1] # rbit
              THEN rbit' = Head(data)[1] /\ rcvd' = Head(data)[2]
              ELSE UNCHANGED <<rbit, rcvd>>
           /\ UNCHANGED <<sbit, acks, sent>>
Ack == Len(acks) < 2 /\ acks' = Append(acks, rbit) /\ UNCHANGED <<sbit, rbit, data, sent, rcvd>>
Confirm == /\ acks # <<>>
           /\ acks' = Tail(acks)
           /\ IF Head(acks) = sbit
              THEN sbit' = 1 - sbit /\ sent' = (sent + 1) % 4
              ELSE UNCHANGED <<sbit, sent>>
           /\ UNCHANGED <<rbit, data, rcvd>>
Lose == \/ \E i \in 1..Len(data) : data' = Remove(i, data) /\ UNCHANGED <<sbit, rbit, acks, sent, rcvd>>
        \/ \E i \in 1..Len(acks) : acks' = Remove(i, acks) /\ UNCHANGED <<sbit, rbit, data, sent, rcvd>>
Next == Send \/ Receive \/ Ack \/ Confirm \/ Lose
Spec == Init /\ [][Next]_vars
Ordered == rcvd = sent \/ (rcvd + 1) % 4 = sent
=============================================================================
