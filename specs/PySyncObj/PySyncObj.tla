------------------------------ MODULE PySyncObj ------------------------------
(* Raft as PySyncObj arranges it: nodes are connected by streams that keep the order of messages and neither lose nor repeat any; a  *)
(* vote that is not given is not answered; what a follower says of its log carries no term; whoever is elected begins to write      *)
(* and to send in the same step; a leader commits when it sends.                                                                    *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Server,             \* who takes part
    Electable,          \* whose election timer may fire
    Fragile,            \* who may crash and restart
    Nil,                \* no vote
    NoOp,               \* the value of the first entry of all, and of the entry with which a leader begins
    \* Two ways of release 0.3.11 that are slower and do no harm. Later ones have neither.
    AnswersBehind,      \* a follower that has taken entries in says that the last of them is what it lacks
    NextIndexStays,     \* a leader learns nothing about what to send next from an answer that says that all is well
    \* Bounds of the model:
    MaxTimeouts, MaxHeartbeats, MaxRequests, MaxRestarts,
    MaxInFlight         \* messages under way when a timer fires

Follower == "follower"
Candidate == "candidate"
Leader == "leader"

VARIABLES
    currentTerm, votedFor, log, commitIndex,
    state,
    votes,                  \* of a candidate: how many it has
    nextIndex, matchIndex,  \* of a leader: what to send to each other server next, what that is known to have
    stream,                 \* what is under way from each server to each other, in order
    messages,               \* the same as a bag
    count                   \* how often the model has done what it bounds

nodeVars == <<currentTerm, votedFor, log, commitIndex, state, votes, nextIndex, matchIndex>>
vars == <<nodeVars, stream, messages, count>>

-----------------------------------------------------------------------------
Others(i) == Server \ {i}
LastIndex(i) == Len(log[i])
LastTerm(i) == log[i][LastIndex(i)].term
IsMajority(n) == 2 * n > Cardinality(Server)
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Nobody == [j \in {} |-> 0]

(* Streams. A step may take a message in, and send at most one to each server. *)

UnderWay(s) == UNION {{s[i][j][k] : k \in 1 .. Len(s[i][j])} : i \in Server, j \in Server}
Copies(s, m) == Cardinality({k \in 1 .. Len(s[m.from][m.to]) : s[m.from][m.to][k] = m})
Streams(s) ==
    /\ stream' = s
    /\ messages' = [m \in UnderWay(s) |-> Copies(s, m)]

Taken(m) == [stream EXCEPT ![m.from][m.to] = Tail(@)]
IsFirst(m) == m = Head(stream[m.from][m.to])

(* Server i sends: `new` has a message for each of its receivers. *)
With(s, i, new) == [s EXCEPT ![i] = [j \in Server |-> IF j \in DOMAIN new THEN Append(@[j], new[j]) ELSE @[j]]]

NetworkFree == Cardinality(DOMAIN messages) <= MaxInFlight
Counted(what) == count' = [count EXCEPT ![what] = @ + 1]

-----------------------------------------------------------------------------
Init ==
    /\ currentTerm = [i \in Server |-> 0]
    /\ votedFor = [i \in Server |-> Nil]
    /\ log = [i \in Server |-> <<[term |-> 0, value |-> NoOp]>>]
    /\ commitIndex = [i \in Server |-> 1]
    /\ state = [i \in Server |-> Follower]
    /\ votes = [i \in Server |-> 0]
    /\ nextIndex = [i \in Server |-> Nobody]
    /\ matchIndex = [i \in Server |-> Nobody]
    /\ stream = [i \in Server |-> [j \in Server |-> <<>>]]
    /\ messages = <<>>
    /\ count = [timeouts |-> 0, heartbeats |-> 0, requests |-> 0, restarts |-> 0]

-----------------------------------------------------------------------------
(* Election. *)

(* Server i has not heard of a leader for too long: it stands for election, votes for itself, and asks all others. *)
Timeout(i) ==
    /\ i \in Electable
    /\ state[i] # Leader
    /\ count.timeouts < MaxTimeouts /\ NetworkFree
    /\ currentTerm' = [currentTerm EXCEPT ![i] = @ + 1]
    /\ votedFor' = [votedFor EXCEPT ![i] = i]
    /\ state' = [state EXCEPT ![i] = Candidate]
    /\ votes' = [votes EXCEPT ![i] = 1]
    /\ Streams(With(stream, i, [j \in Others(i) |->
           [type |-> "request_vote", term |-> currentTerm[i] + 1, last_log_index |-> LastIndex(i), last_log_term |-> LastTerm(i),
            from |-> i, to |-> j]]))
    /\ Counted("timeouts")
    /\ UNCHANGED <<log, commitIndex, nextIndex, matchIndex>>

UpToDate(m, i) ==
    \/ m.last_log_term > LastTerm(i)
    \/ m.last_log_term = LastTerm(i) /\ m.last_log_index >= LastIndex(i)

HandleRequestVote(m) ==
    LET i == m.to
        newer == m.term > currentTerm[i]
        role == IF newer THEN Follower ELSE state[i]
        vote == IF newer THEN Nil ELSE votedFor[i]
        grant == role # Leader /\ m.term >= currentTerm[i] /\ vote = Nil /\ UpToDate(m, i)
    IN  /\ m.type = "request_vote" /\ IsFirst(m)
        /\ currentTerm' = [currentTerm EXCEPT ![i] = Max(@, m.term)]
        /\ votedFor' = [votedFor EXCEPT ![i] = IF grant THEN m.from ELSE vote]
        /\ state' = [state EXCEPT ![i] = role]
        /\ votes' = [votes EXCEPT ![i] = IF newer THEN 0 ELSE @]
        /\ nextIndex' = [nextIndex EXCEPT ![i] = IF newer THEN Nobody ELSE @]
        /\ matchIndex' = [matchIndex EXCEPT ![i] = IF newer THEN Nobody ELSE @]
        /\ Streams(With(Taken(m), i, [j \in IF grant THEN {m.from} ELSE {} |->
               [type |-> "response_vote", term |-> m.term, from |-> i, to |-> j]]))
        /\ UNCHANGED <<log, commitIndex, count>>

(* What leader i sends to j, who lacks the entries from `next` on: all of them, or none if there are none. *)
Entries(i, entries, commit, j, next) ==
    [type |-> "append_entries", term |-> currentTerm[i], commit_index |-> commit, prevLogIdx |-> next - 1,
     prevLogTerm |-> entries[next - 1].term, entries |-> SubSeq(entries, next, Len(entries)), from |-> i, to |-> j]

(* A vote. With a majority the candidate is the leader; it writes an entry, and sends it to all others. *)
HandleResponseVote(m) ==
    LET i == m.to
        counts == state[i] = Candidate /\ m.term = currentTerm[i]
        wins == counts /\ IsMajority(votes[i] + 1)
        written == Append(log[i], [term |-> currentTerm[i], value |-> NoOp])
    IN  /\ m.type = "response_vote" /\ IsFirst(m)
        /\ IF wins
           THEN /\ state' = [state EXCEPT ![i] = Leader]
                /\ votes' = [votes EXCEPT ![i] = 0]
                /\ log' = [log EXCEPT ![i] = written]
                /\ nextIndex' = [nextIndex EXCEPT ![i] = [j \in Others(i) |-> Len(written) + 1]]
                /\ matchIndex' = [matchIndex EXCEPT ![i] = [j \in Others(i) |-> 0]]
                /\ Streams(With(Taken(m), i, [j \in Others(i) |-> Entries(i, written, commitIndex[i], j, Len(written))]))
           ELSE /\ votes' = [votes EXCEPT ![i] = IF counts THEN @ + 1 ELSE @]
                /\ Streams(Taken(m))
                /\ UNCHANGED <<state, log, nextIndex, matchIndex>>
        /\ UNCHANGED <<currentTerm, votedFor, commitIndex, count>>

-----------------------------------------------------------------------------
(* Replication. *)

(* A client asks leader i to write a value. It is sent with the next heartbeat. *)
ClientRequest(i) ==
    /\ state[i] = Leader
    /\ count.requests < MaxRequests
    /\ log' = [log EXCEPT ![i] = Append(@, [term |-> currentTerm[i], value |-> count.requests + 1])]
    /\ Counted("requests")
    /\ UNCHANGED <<currentTerm, votedFor, commitIndex, state, votes, nextIndex, matchIndex, stream, messages>>

(* What leader i may commit: what a majority has, up to an entry of its own term. *)
Committed(i) ==
    LET agreed == {k \in commitIndex[i] + 1 .. LastIndex(i) :
                      /\ IsMajority(1 + Cardinality({j \in Others(i) : matchIndex[i][j] >= k}))
                      /\ log[i][k].term = currentTerm[i]}
    IN  IF agreed = {} THEN commitIndex[i] ELSE CHOOSE k \in agreed : \A l \in agreed : l <= k

(* It is time for leader i to be heard of again. It commits what it can, and sends everybody what it lacks. *)
Heartbeat(i) ==
    /\ state[i] = Leader
    /\ count.heartbeats < MaxHeartbeats /\ NetworkFree
    /\ commitIndex' = [commitIndex EXCEPT ![i] = Committed(i)]
    /\ nextIndex' = [nextIndex EXCEPT ![i] = [j \in Others(i) |-> LastIndex(i) + 1]]
    /\ Streams(With(stream, i, [j \in Others(i) |-> Entries(i, log[i], Committed(i), j, nextIndex[i][j])]))
    /\ Counted("heartbeats")
    /\ UNCHANGED <<currentTerm, votedFor, log, state, votes, matchIndex>>

(* The log of server i after the entries of m: what is there already stays, what contradicts them goes with all that follows. *)
LogWith(i, m) ==
    LET end == m.prevLogIdx + Len(m.entries)
        new == SubSeq(log[i], 1, m.prevLogIdx) \o m.entries
    IN  IF \E k \in 1 .. Min(end, LastIndex(i)) : log[i][k].term # new[k].term THEN new
        ELSE new \o SubSeq(log[i], end + 1, LastIndex(i))

Answer(m, next, success) ==
    [type |-> "next_node_idx", next_node_idx |-> next, reset |-> ~success, success |-> success, from |-> m.to, to |-> m.from]

(* What a leader of old sends is not answered. *)
HandleAppendEntries(m) ==
    LET i == m.to
        current == m.term >= currentTerm[i]
        newer == m.term > currentTerm[i]
        missing == m.prevLogIdx > LastIndex(i)
        accepted == ~missing /\ log[i][m.prevLogIdx].term = m.prevLogTerm
        end == m.prevLogIdx + Len(m.entries)
        after == IF current /\ accepted THEN LogWith(i, m) ELSE log[i]
        next == IF missing THEN LastIndex(i) + 1
                ELSE IF ~accepted THEN m.prevLogIdx
                ELSE IF AnswersBehind /\ m.entries # <<>> THEN end
                ELSE end + 1
    IN  /\ m.type = "append_entries" /\ IsFirst(m)
        /\ currentTerm' = [currentTerm EXCEPT ![i] = Max(@, m.term)]
        /\ votedFor' = [votedFor EXCEPT ![i] = IF newer THEN Nil ELSE @]
        /\ log' = [log EXCEPT ![i] = after]
        /\ commitIndex' = [commitIndex EXCEPT ![i] = IF current /\ accepted THEN Max(@, Min(m.commit_index, Len(after))) ELSE @]
        /\ state' = [state EXCEPT ![i] = IF current THEN Follower ELSE @]
        /\ votes' = [votes EXCEPT ![i] = IF current THEN 0 ELSE @]
        /\ nextIndex' = [nextIndex EXCEPT ![i] = IF current THEN Nobody ELSE @]
        /\ matchIndex' = [matchIndex EXCEPT ![i] = IF current THEN Nobody ELSE @]
        /\ Streams(With(Taken(m), i, [j \in IF current THEN {m.from} ELSE {} |-> Answer(m, next, accepted)]))
        /\ UNCHANGED count

(* A follower says what it lacks. *)
HandleNextNodeIdx(m) ==
    LET i == m.to
        j == m.from
        advances == m.success /\ m.next_node_idx - 1 > matchIndex[i][j]
    IN  /\ m.type = "next_node_idx" /\ IsFirst(m)
        /\ IF state[i] = Leader
           THEN /\ nextIndex' = [nextIndex EXCEPT ![i][j] =
                       IF m.reset \/ (advances /\ ~NextIndexStays) THEN m.next_node_idx ELSE @]
                /\ matchIndex' = [matchIndex EXCEPT ![i][j] = IF advances THEN m.next_node_idx - 1 ELSE @]
           ELSE UNCHANGED <<nextIndex, matchIndex>>
        /\ Streams(Taken(m))
        /\ UNCHANGED <<currentTerm, votedFor, log, commitIndex, state, votes, count>>

-----------------------------------------------------------------------------
(* Server i crashes and starts again from its journal. What was under way to it is lost with its connections. *)
Restart(i) ==
    /\ i \in Fragile
    /\ count.restarts < MaxRestarts
    /\ state' = [state EXCEPT ![i] = Follower]
    /\ votes' = [votes EXCEPT ![i] = 0]
    /\ nextIndex' = [nextIndex EXCEPT ![i] = Nobody]
    /\ matchIndex' = [matchIndex EXCEPT ![i] = Nobody]
    /\ Streams([j \in Server |-> [stream[j] EXCEPT ![i] = <<>>]])
    /\ Counted("restarts")
    /\ UNCHANGED <<currentTerm, votedFor, log, commitIndex>>

-----------------------------------------------------------------------------
Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E m \in DOMAIN messages : HandleRequestVote(m)
    \/ \E m \in DOMAIN messages : HandleResponseVote(m)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i \in Server : Heartbeat(i)
    \/ \E m \in DOMAIN messages : HandleAppendEntries(m)
    \/ \E m \in DOMAIN messages : HandleNextNodeIdx(m)
    \/ \E i \in Server : Restart(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* No two leaders in one term. *)
ElectionSafety ==
    \A i, j \in Server : state[i] = Leader /\ state[j] = Leader /\ currentTerm[i] = currentTerm[j] => i = j

(* No two servers have committed different entries at an index. *)
StateMachineSafety ==
    \A i, j \in Server : \A k \in 1 .. Min(commitIndex[i], commitIndex[j]) : log[i][k] = log[j][k]

(* Nobody commits what it does not have. *)
IndicesInOrder == \A i \in Server : commitIndex[i] <= LastIndex(i)
=============================================================================
