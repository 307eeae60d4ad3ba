------------------------------ MODULE OpenRaft ------------------------------
(* Raft as the crate `openraft` 0.9 carries it out, at the level of its network: a call waits for its answer, and a leader has at most one   *)
(* append under way to each other node. Votes are ordered by term, node and whether a majority has given them, so a term may have more than   *)
(* one leader, one after the other. Snapshots and changes of membership are left out.                                                        *)
(*                                                                                                                                           *)
(* An action is a timer that runs out, a question or an answer that is taken in, or a client's request, and all that the tasks of the library *)
(* then do until all of them wait. Logs have fewer than 16 entries: beyond that the library searches for where logs begin to differ.          *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    n1, n2, n3, n4, n5,
    Server,        \* the nodes, of those above
    Nil,           \* no node
    Candidates,    \* the nodes whose timer for elections may run out
    MaxTerm,       \* no election beyond this term
    MaxRequests,   \* how many requests clients make
    MaxHeartbeats, \* how often a leader's timer for heartbeats runs out
    MaxLapses,     \* how often a lease ends
    MaxGiveUps,    \* how often a leader waits too long for an answer to an append
    MaxRestarts,   \* how often a node crashes and comes up again
    MaxInFlight    \* no further than states with more messages under way; for CONSTRAINT

VARIABLES
    vote, log,     \* what a node stores
    commit,        \* up to where its log is committed
    role,          \* what it thinks that it is
    lease,         \* whether it gives no votes because it has heard of a leader
    accepted,      \* up to where its log is that of a leader, and of which
    candidacy,     \* the vote for which a candidate stands, and who has given it
    match,         \* up to where a leader knows others' logs to be its own
    inFlight,      \* the others to which a leader has entries under way or about to be sent
    streams,       \* the tasks that send a leader's log; they go on for a while when it leads no longer
    era,           \* how often a node has crashed or given up a call
    messages,      \* under way
    requests, heartbeats, lapses, giveUps, restarts

counters == <<requests, heartbeats, lapses, giveUps, restarts>>
vars == <<vote, log, commit, role, lease, accepted, candidacy, match, inFlight, streams, era, messages,
          requests, heartbeats, lapses, giveUps, restarts>>

-----------------------------------------------------------------------------
Others(i) == Server \ {i}
Majority(nodes) == 2 * Cardinality(nodes) > Cardinality(Server)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
Under(type) == {m \in messages : m.type = type}
Nothing == <<>>

Rank(i) == CASE i = Nil -> 0 [] i = n1 -> 1 [] i = n2 -> 2 [] i = n3 -> 3 [] i = n4 -> 4 [] OTHER -> 5

\* Where an entry is: its term, its leader, and its index. No entry is `None`.
None == [term |-> 0, node |-> Nil, index |-> 0]
Id(lg, k) == IF k = 0 THEN None ELSE [term |-> lg[k].term, node |-> lg[k].node, index |-> k]
Last(lg) == Id(lg, Len(lg))
Below(a, b) ==
    \/ a.term < b.term
    \/ a.term = b.term /\ Rank(a.node) < Rank(b.node)
    \/ a.term = b.term /\ a.node = b.node /\ a.index < b.index
Lesser(a, b) == IF Below(a, b) THEN a ELSE b

\* Votes are ordered likewise; one that a majority has given is greater than the same without.
Outvoted(a, b) ==
    \/ a.term < b.term
    \/ a.term = b.term /\ Rank(a.node) < Rank(b.node)
    \/ a.term = b.term /\ a.node = b.node /\ ~a.committed /\ b.committed

-----------------------------------------------------------------------------
(* The tasks that send a leader's log. One has a call under way, or waits; what it is told in the meantime waits for it. *)

\* What a task sends: entries up to `upto`, if that is beyond what it knows to match, else only the commit index.
AppendOf(i, j, s, v, lg, upto) ==
    [type |-> "append", from |-> i, to |-> j, era |-> s.era, vote |-> v, prev |-> s.match, commit |-> s.commit,
     entries |-> SubSeq(lg, s.match.index + 1, Min(upto.index, Len(lg)))]

Idle(c, e) == [busy |-> FALSE, upto |-> None, queued |-> FALSE, next |-> None, match |-> None, commit |-> c, era |-> e, ended |-> FALSE]

\* A task that is told to send entries up to `upto` (none if that is `None`), and perhaps to say something in any case.
Tell(s, upto, c, speaks) ==
    IF s.ended \/ (upto = None /\ ~speaks) THEN s
    ELSE [s EXCEPT !.commit = c, !.queued = TRUE, !.next = IF upto = None THEN @ ELSE upto]

\* A task that waits, and has been told something, begins a call.
Begins(s) == ~s.busy /\ s.queued
Begun(s, e) == IF Begins(s) THEN [s EXCEPT !.busy = TRUE, !.upto = s.next, !.queued = FALSE, !.next = None, !.era = e] ELSE s

\* The tasks of node i after they were told something, and the messages that they send.
After(told, e) == [j \in DOMAIN told |-> Begun(told[j], e)]
Sent(i, told, e, v, lg) == {AppendOf(i, j, [told[j] EXCEPT !.era = e], v, lg, told[j].next) : j \in {j \in DOMAIN told : Begins(told[j])}}

-----------------------------------------------------------------------------
(* Votes *)

\* Node i takes over a vote that is not less than its own, and follows whoever it is for.
TakeOver(i, v) ==
    /\ vote' = [vote EXCEPT ![i] = v]
    /\ lease' = [lease EXCEPT ![i] = v.committed]
    /\ IF v.node = i THEN UNCHANGED <<role, candidacy, match, inFlight>>
       ELSE /\ role' = [role EXCEPT ![i] = "Follower"]
            /\ candidacy' = [candidacy EXCEPT ![i] = Nil]
            /\ match' = [match EXCEPT ![i] = Nothing]
            /\ inFlight' = [inFlight EXCEPT ![i] = {}]

Stay == UNCHANGED <<vote, lease, role, candidacy, match, inFlight>>

Timeout(i) ==
    LET v == [term |-> vote[i].term + 1, node |-> i, committed |-> FALSE] IN
    /\ i \in Candidates
    /\ role[i] \in {"Follower", "Candidate"}
    /\ v.term <= MaxTerm
    /\ vote' = [vote EXCEPT ![i] = v]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ candidacy' = [candidacy EXCEPT ![i] = [vote |-> v, given |-> {i}]]
    /\ messages' = messages \union
           {[type |-> "vote", from |-> i, to |-> j, vote |-> v, last |-> Last(log[i])] : j \in Others(i)}
    /\ UNCHANGED <<log, commit, accepted, match, inFlight, streams, era, counters>>

LeaseEnds(i) ==
    /\ lease[i]
    /\ lapses < MaxLapses
    /\ lapses' = lapses + 1
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ UNCHANGED <<vote, log, commit, role, accepted, candidacy, match, inFlight, streams, era, messages, requests, heartbeats, giveUps, restarts>>

HandleVote(m) ==
    LET i == m.to
        grants == ~lease[i] /\ ~Below(m.last, Last(log[i])) /\ ~Outvoted(m.vote, vote[i])
    IN
    /\ m \in Under("vote")
    /\ role[i] # "Down"
    /\ IF grants THEN TakeOver(i, m.vote) ELSE Stay
    /\ messages' = (messages \ {m}) \union
           {[type |-> "voteAnswer", from |-> i, to |-> m.from, asked |-> m.vote, vote |-> vote'[i], granted |-> grants, last |-> Last(log[i])]}
    /\ UNCHANGED <<log, commit, accepted, streams, era, counters>>

\* All entries go to all others, since nothing is known of their logs.
Lead(i, v, lg, c, e, rest) ==
    LET told == [j \in Others(i) |-> Tell(Idle(Id(lg, c), e), Last(lg), Id(lg, c), TRUE)] IN
    /\ vote' = [vote EXCEPT ![i] = v]
    /\ lease' = [lease EXCEPT ![i] = TRUE]
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ candidacy' = [candidacy EXCEPT ![i] = Nil]
    /\ log' = [log EXCEPT ![i] = lg]
    /\ match' = [match EXCEPT ![i] = [j \in Others(i) |-> 0]]
    /\ inFlight' = [inFlight EXCEPT ![i] = Others(i)]
    /\ streams' = [streams EXCEPT ![i] = [vote |-> v, to |-> After(told, e)]]
    /\ messages' = rest \union Sent(i, told, e, v, lg)

\* An answer to an earlier candidacy counts for nothing. A refusal may carry a greater vote.
HandleVoteAnswer(m) ==
    LET i == m.to
        counts == role[i] # "Down" /\ candidacy[i] # Nil /\ candidacy[i].vote = m.asked
        given == candidacy[i].given \union {m.from}
        isGiven == counts /\ m.granted /\ m.vote = m.asked
        wins == isGiven /\ Majority(given)
        other == [m.vote EXCEPT !.committed = FALSE]
    IN
    /\ m \in Under("voteAnswer")
    /\ role[i] # "Down"
    /\ \/ /\ wins
          /\ Lead(i, [vote[i] EXCEPT !.committed = TRUE], Append(log[i], [term |-> vote[i].term, node |-> i, value |-> "blank"]),
                  commit[i], era[i], messages \ {m})
       \/ /\ ~wins
          /\ messages' = messages \ {m}
          /\ IF isGiven
             THEN /\ candidacy' = [candidacy EXCEPT ![i].given = given]
                  /\ UNCHANGED <<vote, lease, role, match, inFlight>>
             ELSE IF counts /\ ~Outvoted(other, vote[i]) THEN TakeOver(i, other) ELSE Stay
          /\ UNCHANGED <<log, streams>>
    /\ UNCHANGED <<commit, accepted, era, counters>>

-----------------------------------------------------------------------------
(* Replication *)

ClientRequest(i) ==
    LET lg == Append(log[i], [term |-> vote[i].term, node |-> i, value |-> ToString(requests + 1)])
        told == [j \in Others(i) |->
                    LET s == streams[i].to[j] IN Tell(s, IF j \in inFlight[i] THEN None ELSE Last(lg), s.commit, FALSE)]
    IN
    /\ role[i] = "Leader"
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ log' = [log EXCEPT ![i] = lg]
    /\ inFlight' = [inFlight EXCEPT ![i] = Others(i)]
    /\ streams' = [streams EXCEPT ![i].to = After(told, era[i])]
    /\ messages' = messages \union Sent(i, told, era[i], streams[i].vote, lg)
    /\ UNCHANGED <<vote, commit, role, lease, accepted, candidacy, match, era, heartbeats, lapses, giveUps, restarts>>

\* A heartbeat goes to those that no entries are under way to.
Heartbeat(i) ==
    LET told == [j \in Others(i) |-> LET s == streams[i].to[j] IN Tell(s, None, s.commit, j \notin inFlight[i])] IN
    /\ role[i] = "Leader"
    /\ heartbeats < MaxHeartbeats
    /\ heartbeats' = heartbeats + 1
    /\ streams' = [streams EXCEPT ![i].to = After(told, era[i])]
    /\ messages' = messages \union Sent(i, told, era[i], streams[i].vote, log[i])
    /\ UNCHANGED <<vote, log, commit, role, lease, accepted, candidacy, match, inFlight, era, requests, lapses, giveUps, restarts>>

\* An entry up to the commit index is not looked at: it is taken to be the same.
Has(i, id) == id.index <= commit[i] \/ (id.index <= Len(log[i]) /\ Id(log[i], id.index) = id)

HandleAppend(m) ==
    LET i == m.to
        ids == [k \in 1..Len(m.entries) |-> [term |-> m.entries[k].term, node |-> m.entries[k].node, index |-> m.prev.index + k]]
        new == {k \in 1..Len(m.entries) : ~Has(i, ids[k])}
        first == CHOOSE k \in new : \A n \in new : k <= n
        mine == accepted[i].term = m.vote.term /\ accepted[i].node = m.vote.node
        known == IF mine THEN accepted[i].upto ELSE None
        upto == IF m.entries = <<>> \/ Below(ids[Len(ids)], m.prev) THEN m.prev ELSE ids[Len(ids)]
        greatest == IF Below(known, upto) THEN upto ELSE known
        c == Lesser(greatest, m.commit)
        answer == [type |-> "appendAnswer", from |-> i, to |-> m.from, era |-> m.era, asked |-> m.vote, result |-> "success", vote |-> Nil]
    IN
    /\ m \in Under("append")
    /\ role[i] # "Down"
    /\ IF Outvoted(m.vote, vote[i])
       THEN /\ Stay
            /\ messages' = (messages \ {m}) \union {[answer EXCEPT !.result = "higher", !.vote = vote[i]]}
            /\ UNCHANGED <<log, commit, accepted>>
       ELSE /\ TakeOver(i, m.vote)
            /\ IF ~Has(i, m.prev)
               THEN /\ log' = [log EXCEPT ![i] = SubSeq(@, 1, Min(Len(@), m.prev.index - 1))]
                    /\ messages' = (messages \ {m}) \union {[answer EXCEPT !.result = "conflict"]}
                    /\ UNCHANGED <<commit, accepted>>
               ELSE /\ log' = IF new = {} THEN log
                              ELSE [log EXCEPT ![i] = SubSeq(@, 1, m.prev.index + first - 1) \o SubSeq(m.entries, first, Len(m.entries))]
                    /\ accepted' = IF Below(known, upto)
                                   THEN [accepted EXCEPT ![i] = [term |-> m.vote.term, node |-> m.vote.node, upto |-> upto]]
                                   ELSE accepted
                    /\ commit' = IF Below(Id(log[i], commit[i]), c) THEN [commit EXCEPT ![i] = c.index] ELSE commit
                    /\ messages' = (messages \ {m}) \union {answer}
    /\ UNCHANGED <<streams, era, counters>>

\* The largest index that a majority has.
Agreed(i, known, lg) ==
    LET have(k) == {i} \union {j \in Others(i) : known[j] >= k}
    IN CHOOSE k \in 0..Len(lg) : Majority(have(k)) /\ \A n \in (k + 1)..Len(lg) : ~Majority(have(n))

(* A call of node i to j has ended: `matches` is up to where the logs are known to be the same (`None` if this says nothing new), and `carried` *)
(* whether the call was there to send entries. The task goes on first if it was told something in the meantime; then the leader hears of it,     *)
(* and tells all tasks if it commits.                                                                                                            *)
Ended(i, j, matches, carried, e, rest) ==
    LET leads == role[i] = "Leader" /\ vote[i] = streams[i].vote
        before == [streams[i].to EXCEPT ![j] = [@ EXCEPT !.busy = FALSE, !.upto = None, !.match = IF matches = None THEN @ ELSE matches]]
        first == After(before, e)
        known == IF leads /\ carried /\ matches # None THEN [match[i] EXCEPT ![j] = matches.index] ELSE match[i]
        agreed == Agreed(i, known, log[i])
        commits == leads /\ agreed > commit[i] /\ log[i][agreed].term = vote[i].term /\ log[i][agreed].node = i
        flying == IF carried THEN inFlight[i] \ {j} ELSE inFlight[i]
        more == leads /\ j \notin flying /\ known[j] < Len(log[i])
        told == [k \in Others(i) |->
                    Tell(first[k], IF k = j /\ more THEN Last(log[i]) ELSE None,
                         IF commits THEN Id(log[i], agreed) ELSE first[k].commit, commits)]
    IN
    /\ match' = IF leads THEN [match EXCEPT ![i] = known] ELSE match
    /\ inFlight' = IF leads THEN [inFlight EXCEPT ![i] = IF more THEN flying \union {j} ELSE flying] ELSE inFlight
    /\ commit' = IF commits THEN [commit EXCEPT ![i] = agreed] ELSE commit
    /\ streams' = [streams EXCEPT ![i].to = After(told, e)]
    /\ messages' = rest \union Sent(i, before, e, streams[i].vote, log[i]) \union Sent(i, told, e, streams[i].vote, log[i])

\* Whether a task waits for this answer.
Awaited(m) ==
    LET i == m.to IN
    streams[i] # Nil /\ streams[i].vote = m.asked /\ streams[i].to[m.from].busy /\ streams[i].to[m.from].era = m.era

HandleAppendAnswer(m) ==
    LET i == m.to
        s == streams[i].to[m.from]
        leads == role[i] = "Leader" /\ vote[i] = m.asked
    IN
    /\ m \in Under("appendAnswer")
    /\ role[i] # "Down"
    /\ IF ~Awaited(m)
       THEN /\ messages' = messages \ {m}
            /\ UNCHANGED <<commit, streams>>
            /\ Stay
       ELSE IF m.result = "higher"
       THEN /\ messages' = messages \ {m}
            /\ streams' = [streams EXCEPT ![i].to[m.from] = [@ EXCEPT !.busy = FALSE, !.upto = None, !.queued = FALSE, !.next = None, !.ended = TRUE]]
            /\ commit' = commit
            /\ IF leads THEN TakeOver(i, m.vote) ELSE Stay
       ELSE /\ Ended(i, m.from, IF m.result = "success" THEN s.upto ELSE None, s.upto # None, era[i], messages \ {m})
            /\ UNCHANGED <<vote, lease, role, candidacy>>
    /\ UNCHANGED <<log, accepted, era, counters>>

GiveUp(i, j) ==
    /\ j \in Others(i)
    /\ streams[i] # Nil
    /\ streams[i].to[j].busy
    /\ giveUps < MaxGiveUps
    /\ giveUps' = giveUps + 1
    /\ era' = [era EXCEPT ![i] = @ + 1]
    /\ Ended(i, j, None, streams[i].to[j].upto # None, era[i] + 1, messages)
    /\ UNCHANGED <<vote, log, role, lease, accepted, candidacy, requests, heartbeats, lapses, restarts>>

-----------------------------------------------------------------------------
(* Crashes *)

\* The vote and the log are stored; the commit index is not.
Restart(i) ==
    /\ role[i] # "Down"
    /\ restarts < MaxRestarts
    /\ restarts' = restarts + 1
    /\ role' = [role EXCEPT ![i] = "Down"]
    /\ commit' = [commit EXCEPT ![i] = 0]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ accepted' = [accepted EXCEPT ![i] = [term |-> 0, node |-> Nil, upto |-> None]]
    /\ candidacy' = [candidacy EXCEPT ![i] = Nil]
    /\ match' = [match EXCEPT ![i] = Nothing]
    /\ inFlight' = [inFlight EXCEPT ![i] = {}]
    /\ streams' = [streams EXCEPT ![i] = Nil]
    /\ era' = [era EXCEPT ![i] = @ + 1]
    /\ UNCHANGED <<vote, log, messages, requests, heartbeats, lapses, giveUps>>

\* Whoever has led goes on leading.
Boot(i) ==
    /\ role[i] = "Down"
    /\ IF vote[i].node = i /\ vote[i].committed
       THEN Lead(i, vote[i], log[i], 0, era[i], messages)
       ELSE /\ role' = [role EXCEPT ![i] = "Follower"]
            /\ lease' = [lease EXCEPT ![i] = vote[i].committed]
            /\ UNCHANGED <<vote, candidacy, log, match, inFlight, streams, messages>>
    /\ UNCHANGED <<commit, accepted, era, counters>>

-----------------------------------------------------------------------------
Init ==
    /\ vote = [i \in Server |-> [term |-> 0, node |-> Nil, committed |-> FALSE]]
    /\ log = [i \in Server |-> <<[term |-> 0, node |-> Nil, value |-> "members"]>>]
    /\ commit = [i \in Server |-> 0]
    /\ role = [i \in Server |-> "Follower"]
    /\ lease = [i \in Server |-> FALSE]
    /\ accepted = [i \in Server |-> [term |-> 0, node |-> Nil, upto |-> None]]
    /\ candidacy = [i \in Server |-> Nil]
    /\ match = [i \in Server |-> Nothing]
    /\ inFlight = [i \in Server |-> {}]
    /\ streams = [i \in Server |-> Nil]
    /\ era = [i \in Server |-> 0]
    /\ messages = {}
    /\ requests = 0
    /\ heartbeats = 0
    /\ lapses = 0
    /\ giveUps = 0
    /\ restarts = 0

Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E i \in Server : LeaseEnds(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i \in Server : Heartbeat(i)
    \/ \E i, j \in Server : GiveUp(i, j)
    \/ \E i \in Server : Restart(i)
    \/ \E i \in Server : Boot(i)
    \/ \E m \in messages : HandleVote(m)
    \/ \E m \in messages : HandleVoteAnswer(m)
    \/ \E m \in messages : HandleAppend(m)
    \/ \E m \in messages : HandleAppendAnswer(m)

Spec == Init /\ [][Next]_vars

FewInFlight == Cardinality(messages) <= MaxInFlight

-----------------------------------------------------------------------------
\* A leader is a term and a node, so one leader a term is not what this protocol promises. What it promises is this:

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
        Id(log[i], k) = Id(log[j], k) => SubSeq(log[i], 1, k) = SubSeq(log[j], 1, k)

Committed ==
    \A i, j \in Server : \A k \in 1..Min(commit[i], commit[j]) : log[i][k] = log[j][k]

CommitInLog == \A i \in Server : commit[i] <= Len(log[i])
=============================================================================
