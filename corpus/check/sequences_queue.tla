-------------------------- MODULE sequences_queue --------------------------
\* A bounded queue between a producer and a consumer.
EXTENDS Naturals, Sequences
VARIABLES q, sent, got
Init == q = <<>> /\ sent = 0 /\ got = 0
Send == Len(q) < 3 /\ sent < 6 /\ q' = Append(q, sent) /\ sent' = sent + 1 /\ UNCHANGED got
Receive == q # <<>> /\ got' = Head(q) /\ q' = Tail(q) /\ UNCHANGED sent
Restart == q = <<>> /\ sent = 6 /\ sent' = 0 /\ UNCHANGED <<q, got>>
Next == Send \/ Receive \/ Restart
Fifo == \A i, j \in 1..Len(q) : i < j => q[i] < q[j]
=============================================================================
