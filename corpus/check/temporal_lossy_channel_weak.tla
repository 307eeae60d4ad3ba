-------------------- MODULE temporal_lossy_channel_weak ---------------------
\* Weak fairness of receiving: the channel may lose everything.
EXTENDS Naturals, Sequences
VARIABLES channel, sent, got
vars == <<channel, sent, got>>
Init == channel = <<>> /\ sent = 0 /\ got = 0
Send == /\ got = sent /\ sent < 2 /\ sent' = sent + 1 /\ UNCHANGED <<channel, got>>
Transmit == /\ sent > got /\ Len(channel) < 2
            /\ channel' = Append(channel, sent) /\ UNCHANGED <<sent, got>>
Lose == channel # <<>> /\ channel' = Tail(channel) /\ UNCHANGED <<sent, got>>
Receive == /\ channel # <<>> /\ got' = Head(channel) /\ channel' = Tail(channel) /\ UNCHANGED sent
Next == Send \/ Transmit \/ Lose \/ Receive
Spec == Init /\ [][Next]_vars /\ WF_vars(Send) /\ WF_vars(Transmit) /\ WF_vars(Receive)
Delivered == \A i \in 1..2 : (sent = i) ~> (got = i)
=============================================================================
