---------------------------- MODULE HashicorpRaft ----------------------------
(* Raft as github.com/hashicorp/raft 1.1.2 carries it out, at the level of its transport: each request waits for its answer, and at most one  *)
(* append and one heartbeat are under way from a leader to each other node. Crashes, lost messages, the leader's lease, pipelines, snapshots,   *)
(* changes of membership and the transfer of leadership are left out.                                                                        *)
(*                                                                                                                                           *)
(* An action is a timer that runs out, a request or an answer that is taken in, or a client's request, and all that the goroutines of the      *)
(* library then do until all of them wait. The main goroutine goes first, then those that replicate.                                          *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Server,        \* the nodes
    Nil,           \* no node
    Candidates,    \* the nodes whose timer for elections may run out
    MaxTerm,       \* no election beyond this term; the first has term 2
    MaxRequests,   \* how many requests clients make
    MaxHeartbeats, \* how often a leader's timer for heartbeats runs out
    MaxTicks,      \* how often a leader's timer for appends runs out
    MaxInFlight    \* no further than states with more messages under way; for CONSTRAINT

VARIABLES
    term, vote, log, commit,   \* what a node stores; the vote with its term
    role, leader,              \* what it thinks that it is, and whom it follows
    votes,                     \* who has voted for a candidate
    view,                      \* what a leader knows of the others, and what it has under way to them
    messages,                  \* under way
    requests, heartbeats, ticks

counters == <<requests, heartbeats, ticks>>
vars == <<term, vote, log, commit, role, leader, votes, view, messages, requests, heartbeats, ticks>>

-----------------------------------------------------------------------------
Others(i) == Server \ {i}
Majority(nodes) == 2 * Cardinality(nodes) > Cardinality(Server)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
TermAt(lg, index) == IF index = 0 THEN 0 ELSE lg[index].term
LastTerm(lg) == TermAt(lg, Len(lg))
Under(type) == {m \in messages : m.type = type}

\* Node i sends entries from `next` on, up to `last`.
AppendTo(i, j, next, last, lg, c) ==
    [type |-> "append", from |-> i, to |-> j, term |-> term[i], prevIndex |-> next - 1, prevTerm |-> TermAt(lg, next - 1),
     entries |-> SubSeq(lg, next, last), commit |-> c]

-----------------------------------------------------------------------------
(* Elections *)

Timeout(i) ==
    /\ i \in Candidates
    /\ role[i] # "Leader"
    /\ term[i] < MaxTerm
    /\ term' = [term EXCEPT ![i] = @ + 1]
    /\ vote' = [vote EXCEPT ![i] = [term |-> term[i] + 1, node |-> i]]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ votes' = [votes EXCEPT ![i] = {i}]
    /\ messages' = messages \union
           {[type |-> "vote", from |-> i, to |-> j, term |-> term[i] + 1, lastIndex |-> Len(log[i]), lastTerm |-> LastTerm(log[i])] : j \in Others(i)}
    /\ UNCHANGED <<log, commit, view, counters>>

\* Whoever follows a leader refuses everybody else, and does not even take over a newer term. A leader follows itself.
HandleVote(m) ==
    LET i == m.to
        follows == leader[i] \notin {Nil, m.from}
        isNew == ~follows /\ m.term > term[i]
        hasVoted == vote[i] # Nil /\ vote[i].term = m.term
        upToDate == m.lastTerm > LastTerm(log[i]) \/ (m.lastTerm = LastTerm(log[i]) /\ m.lastIndex >= Len(log[i]))
        grants == ~follows /\ m.term >= term[i] /\ (IF hasVoted THEN vote[i].node = m.from ELSE upToDate)
    IN
    /\ m \in Under("vote")
    /\ term' = IF isNew THEN [term EXCEPT ![i] = m.term] ELSE term
    /\ role' = IF isNew THEN [role EXCEPT ![i] = "Follower"] ELSE role
    /\ leader' = IF isNew THEN [leader EXCEPT ![i] = Nil] ELSE leader
    /\ votes' = IF isNew THEN [votes EXCEPT ![i] = {}] ELSE votes
    /\ vote' = IF grants THEN [vote EXCEPT ![i] = [term |-> m.term, node |-> m.from]] ELSE vote
    /\ messages' = (messages \ {m}) \union
           {[type |-> "voteAnswer", from |-> i, to |-> m.from, asked |-> m.term, term |-> term'[i], granted |-> grants]}
    /\ UNCHANGED <<log, commit, view, counters>>

BecomeLeader(i, m) ==
    LET lg == Append(log[i], [term |-> term[i], value |-> "noop"])
        next == Len(log[i]) + 1
    IN
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ leader' = [leader EXCEPT ![i] = i]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ log' = [log EXCEPT ![i] = lg]
    /\ view' = [view EXCEPT ![i] =
           [next |-> [j \in Others(i) |-> next], match |-> [j \in Server |-> IF j = i THEN Len(lg) ELSE 0], start |-> next,
            busy |-> Others(i), pending |-> {}, beating |-> {}]]
    /\ messages' = (messages \ {m}) \union {AppendTo(i, j, next, next, lg, commit[i]) : j \in Others(i)}
    /\ UNCHANGED <<term, vote, commit>>

\* An answer to an earlier election is for nobody.
HandleVoteAnswer(m) ==
    LET i == m.to
        counts == role[i] = "Candidate" /\ m.asked = term[i]
        now == votes[i] \union (IF m.granted THEN {m.from} ELSE {})
    IN
    /\ m \in Under("voteAnswer")
    /\ \/ counts /\ m.term <= term[i] /\ Majority(now) /\ BecomeLeader(i, m)
       \/ /\ ~(counts /\ m.term <= term[i] /\ Majority(now))
          /\ messages' = messages \ {m}
          /\ IF counts /\ m.term > term[i]
             THEN /\ term' = [term EXCEPT ![i] = m.term]
                  /\ role' = [role EXCEPT ![i] = "Follower"]
                  /\ votes' = [votes EXCEPT ![i] = {}]
             ELSE /\ votes' = IF counts THEN [votes EXCEPT ![i] = now] ELSE votes
                  /\ UNCHANGED <<term, role>>
          /\ UNCHANGED <<vote, log, commit, leader, view>>
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* Replication *)

\* A client's request goes to all nodes that no append is under way to, and later to the others.
ClientRequest(i) ==
    LET lg == Append(log[i], [term |-> term[i], value |-> ToString(requests + 1)])
        free == Others(i) \ view[i].busy
    IN
    /\ role[i] = "Leader"
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ log' = [log EXCEPT ![i] = lg]
    /\ view' = [view EXCEPT ![i].match[i] = Len(lg), ![i].pending = @ \union view[i].busy, ![i].busy = Others(i)]
    /\ messages' = messages \union {AppendTo(i, j, view[i].next[j], Len(lg), lg, commit[i]) : j \in free}
    /\ UNCHANGED <<term, vote, commit, role, leader, votes, heartbeats, ticks>>

\* The leader's timer for appends to j runs out: this is how a follower learns of the commit index.
Replicate(i, j) ==
    /\ role[i] = "Leader"
    /\ ticks < MaxTicks
    /\ j \in Others(i) \ view[i].busy
    /\ ticks' = ticks + 1
    /\ view' = [view EXCEPT ![i].busy = @ \union {j}]
    /\ messages' = messages \union {AppendTo(i, j, view[i].next[j], Len(log[i]), log[i], commit[i])}
    /\ UNCHANGED <<term, vote, log, commit, role, leader, votes, requests, heartbeats>>

Heartbeat(i, j) ==
    /\ role[i] = "Leader"
    /\ heartbeats < MaxHeartbeats
    /\ j \in Others(i) \ view[i].beating
    /\ heartbeats' = heartbeats + 1
    /\ view' = [view EXCEPT ![i].beating = @ \union {j}]
    /\ messages' = messages \union {[type |-> "heartbeat", from |-> i, to |-> j, term |-> term[i]]}
    /\ UNCHANGED <<term, vote, log, commit, role, leader, votes, requests, ticks>>

\* The log after the entries of an append: what conflicts with them is gone, what agrees stays, also beyond them.
Merged(lg, index, entries) ==
    LET conflicts == {k \in 1..Len(entries) : index + k > Len(lg) \/ lg[index + k].term # entries[k].term} IN
    IF conflicts = {} THEN lg
    ELSE LET k == CHOOSE k \in conflicts : \A n \in conflicts : k <= n IN
         SubSeq(lg, 1, index + k - 1) \o SubSeq(entries, k, Len(entries))

\* Node i hears of a leader, if the term is not an older one.
Follow(i, m) ==
    IF m.term < term[i] THEN UNCHANGED <<term, role, leader, votes, view>>
    ELSE /\ term' = [term EXCEPT ![i] = m.term]
         /\ role' = [role EXCEPT ![i] = "Follower"]
         /\ leader' = [leader EXCEPT ![i] = m.from]
         /\ votes' = [votes EXCEPT ![i] = {}]
         /\ view' = [view EXCEPT ![i] = Nil]

\* The answer has the last index from before the append. The commit index goes up to the end of the log, not only of what was sent.
HandleAppend(m) ==
    LET i == m.to
        matches == m.prevIndex <= Len(log[i]) /\ TermAt(log[i], m.prevIndex) = m.prevTerm
        takes == m.term >= term[i] /\ matches
    IN
    /\ m \in Under("append")
    /\ Follow(i, m)
    /\ log' = IF takes THEN [log EXCEPT ![i] = Merged(@, m.prevIndex, m.entries)] ELSE log
    /\ commit' = IF takes THEN [commit EXCEPT ![i] = Max(@, Min(m.commit, Len(log'[i])))] ELSE commit
    /\ messages' = (messages \ {m}) \union
           {[type |-> "appendAnswer", from |-> i, to |-> m.from, asked |-> m.term, last |-> m.prevIndex + Len(m.entries), term |-> term'[i],
             lastLog |-> Len(log[i]), success |-> takes, noBackoff |-> m.term >= term[i] /\ ~matches]}
    /\ UNCHANGED <<vote, counters>>

HandleHeartbeat(m) ==
    LET i == m.to IN
    /\ m \in Under("heartbeat")
    /\ Follow(i, m)
    /\ messages' = (messages \ {m}) \union
           {[type |-> "heartbeatAnswer", from |-> i, to |-> m.from, asked |-> m.term, term |-> term'[i], lastLog |-> Len(log[i]),
             success |-> m.term >= term[i]]}
    /\ UNCHANGED <<vote, log, commit, counters>>

\* The largest index that a majority has.
Agreed(match, lg) ==
    CHOOSE k \in 0..Len(lg) :
        /\ Majority({j \in Server : match[j] >= k})
        /\ \A n \in (k + 1)..Len(lg) : ~Majority({j \in Server : match[j] >= n})

Accepted(i, m) ==
    LET known == view[i]
        isEmpty == m.last < known.next[m.from]
        match == IF isEmpty THEN known.match ELSE [known.match EXCEPT ![m.from] = m.last]
        next == IF isEmpty THEN known.next[m.from] ELSE m.last + 1
        agreed == Agreed(match, log[i])
        c == IF agreed >= known.start THEN Max(commit[i], agreed) ELSE commit[i]
        more == m.from \in known.pending
    IN
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ view' = [view EXCEPT ![i].next[m.from] = next, ![i].match = match, ![i].pending = @ \ {m.from},
                            ![i].busy = IF more THEN @ ELSE @ \ {m.from}]
    /\ messages' = (messages \ {m}) \union (IF more THEN {AppendTo(i, m.from, next, Len(log[i]), log[i], c)} ELSE {})
    /\ UNCHANGED <<role, leader>>

\* The leader goes back at once, up to the same last entry as before.
Refused(i, m) ==
    LET next == Max(1, Min(view[i].next[m.from] - 1, m.lastLog + 1)) IN
    /\ view' = [view EXCEPT ![i].next[m.from] = next]
    /\ messages' = (messages \ {m}) \union {AppendTo(i, m.from, next, m.last, log[i], commit[i])}
    /\ UNCHANGED <<commit, role, leader>>

\* The leader steps down, and stays in its term.
SteppedDown(i, m) ==
    /\ role' = [role EXCEPT ![i] = "Follower"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ view' = [view EXCEPT ![i] = Nil]
    /\ messages' = messages \ {m}
    /\ commit' = commit

Leads(i, m) == role[i] = "Leader" /\ m.asked = term[i]

HandleAppendAnswer(m) ==
    LET i == m.to IN
    /\ m \in Under("appendAnswer")
    /\ IF ~Leads(i, m) THEN messages' = messages \ {m} /\ UNCHANGED <<commit, role, leader, view>>
       ELSE IF m.term > m.asked THEN SteppedDown(i, m)
       ELSE IF m.success THEN Accepted(i, m)
       ELSE Refused(i, m)
    /\ UNCHANGED <<term, vote, log, votes, counters>>

\* The term of an answer to a heartbeat is not looked at.
HandleHeartbeatAnswer(m) ==
    LET i == m.to IN
    /\ m \in Under("heartbeatAnswer")
    /\ view' = IF Leads(i, m) THEN [view EXCEPT ![i].beating = @ \ {m.from}] ELSE view
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<term, vote, log, commit, role, leader, votes, counters>>

-----------------------------------------------------------------------------
Init ==
    /\ term = [i \in Server |-> 1]
    /\ vote = [i \in Server |-> Nil]
    /\ log = [i \in Server |-> <<[term |-> 1, value |-> "configuration"]>>]
    /\ commit = [i \in Server |-> 0]
    /\ role = [i \in Server |-> "Follower"]
    /\ leader = [i \in Server |-> Nil]
    /\ votes = [i \in Server |-> {}]
    /\ view = [i \in Server |-> Nil]
    /\ messages = {}
    /\ requests = 0
    /\ heartbeats = 0
    /\ ticks = 0

Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i, j \in Server : Replicate(i, j)
    \/ \E i, j \in Server : Heartbeat(i, j)
    \/ \E m \in messages : HandleVote(m)
    \/ \E m \in messages : HandleVoteAnswer(m)
    \/ \E m \in messages : HandleAppend(m)
    \/ \E m \in messages : HandleAppendAnswer(m)
    \/ \E m \in messages : HandleHeartbeat(m)
    \/ \E m \in messages : HandleHeartbeatAnswer(m)

Spec == Init /\ [][Next]_vars

FewInFlight == Cardinality(messages) <= MaxInFlight

-----------------------------------------------------------------------------
OneLeader == \A i, j \in Server : role[i] = "Leader" /\ role[j] = "Leader" /\ term[i] = term[j] => i = j

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
        log[i][k].term = log[j][k].term => SubSeq(log[i], 1, k) = SubSeq(log[j], 1, k)

Committed ==
    \A i, j \in Server : \A k \in 1..Min(commit[i], commit[j]) : log[i][k] = log[j][k]

CommitInLog == \A i \in Server : commit[i] <= Len(log[i])
=============================================================================
