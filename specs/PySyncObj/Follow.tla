------------------------------- MODULE Follow -------------------------------
(* PySyncObj for the logs of nodes that nobody controls: clients write what they want, as often as they want. A node that is killed may have *)
(* sent some of the messages of a step and not the others, and what was under way to it is lost, all of it or what came last. So streams    *)
(* keep the order of messages here, but may lose any: what is taken in is the first that was not lost.                                      *)
EXTENDS PySyncObj

(* A client asks leader i to write this value. *)
Request(i, value) ==
    /\ state[i] = Leader
    /\ log' = [log EXCEPT ![i] = Append(@, [term |-> currentTerm[i], value |-> value])]
    /\ UNCHANGED <<currentTerm, votedFor, commitIndex, state, votes, nextIndex, matchIndex, stream, messages, count>>

IsUnderWay(m) == m \in DOMAIN messages

(* What is left when m is taken in: all that was sent after it. *)
AfterLosses(m) ==
    LET s == stream[m.from][m.to]
        first == CHOOSE k \in 1 .. Len(s) : s[k] = m /\ \A l \in 1 .. k - 1 : s[l] # m
    IN  [stream EXCEPT ![m.from][m.to] = SubSeq(@, first + 1, Len(@))]

(* Server i starts again from its journal. Its streams lose what they lose. *)
StartsAgain(i) ==
    /\ state' = [state EXCEPT ![i] = Follower]
    /\ votes' = [votes EXCEPT ![i] = 0]
    /\ nextIndex' = [nextIndex EXCEPT ![i] = Nobody]
    /\ matchIndex' = [matchIndex EXCEPT ![i] = Nobody]
    /\ UNCHANGED <<currentTerm, votedFor, log, commitIndex, stream, messages, count>>

FollowNext == Next \/ \E i \in Server, value \in Any : Request(i, value)

FollowSpec == Init /\ [][FollowNext]_vars
=============================================================================
