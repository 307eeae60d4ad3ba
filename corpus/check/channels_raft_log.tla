------------------------- MODULE channels_raft_log -------------------------
\* A leader copies its log to two followers through channels.
EXTENDS Naturals, Sequences
VARIABLES leader, follower, chan
vars == <<leader, follower, chan>>
F == 1..2
IsPrefix(s, t) == Len(s) <= Len(t) /\ \A i \in 1..Len(s) : s[i] = t[i]
Init == leader = <<>> /\ follower = [f \in F |-> <<>>] /\ chan = [f \in F |-> <<>>]
Client == Len(leader) < 3 /\ \E v \in {"a", "b"} : leader' = Append(leader, v) /\ UNCHANGED <<follower, chan>>
Send(f) == LET n == Len(follower[f]) + Len(chan[f]) + 1
           IN n <= Len(leader) /\ Len(chan[f]) < 2 /\ chan' = [chan EXCEPT ![f] = Append(@, leader[n])] /\ UNCHANGED <<leader, follower>>
Apply(f) == chan[f] # <<>> /\ follower' = [follower EXCEPT ![f] = Append(@, Head(chan[f]))] /\ chan' = [chan EXCEPT ![f] = Tail(@)] /\ UNCHANGED leader
Done == Len(leader) = 3 /\ (\A f \in F : follower[f] = leader) /\ UNCHANGED vars
Next == Client \/ Done \/ \E f \in F : Send(f) \/ Apply(f)
Spec == Init /\ [][Next]_vars
Prefix == \A f \in F : IsPrefix(follower[f] \o chan[f], leader)
=============================================================================
