------------------------------ MODULE OpenRaft ------------------------------
(* Raft as the crate `openraft` 0.9 carries it out, at the level of its network: a call waits for its answer, and a leader has at most one   *)
(* append under way to each other node. Votes are ordered by term, node and whether a majority has given them, so a term may have more than   *)
(* one leader, one after the other.                                                                                                           *)
(*                                                                                                                                           *)
(* An action is a timer that runs out, a question or an answer that is taken in, or a client's request, and all that the tasks of the library *)
(* then do until all of them wait. Logs have fewer than 16 entries: beyond that the library searches for where logs begin to differ.          *)
(*                                                                                                                                           *)
(* Members change by one entry at a time: a client asks for each step of a joint change, as the library does for it. What a snapshot says of the  *)
(* members is left out, so a specification with both must not lose an entry with members.                                                      *)
(*                                                                                                                                           *)
(* Snapshots keep no entries behind them (`max_in_snapshot_log_to_keep` = 0), and go to others in one piece (`full_snapshot`).                 *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    n1, n2, n3, n4, n5,
    Server,        \* the nodes, of those above
    Members,       \* those that vote at first. The others have stored nothing yet
    Nil,           \* no node
    Candidates,    \* the nodes whose timer for elections may run out
    MaxTerm,       \* no election beyond this term
    MaxRequests,   \* how many requests clients make
    MaxHeartbeats, \* how often a leader's timer for heartbeats runs out
    MaxLapses,     \* how often a lease ends
    MaxGiveUps,    \* how often a leader waits too long for an answer to an append
    MaxRestarts,   \* how often a node crashes and comes up again
    MaxSnapshots,  \* how often a node makes a snapshot of what it has applied
    Snapshotters,  \* the nodes that may do so
    MaxChanges,    \* how often a leader is asked to change the members
    Learners,      \* the nodes that may be added
    Goals,         \* the sets of nodes that are to vote
    MaxInFlight    \* no further than states with more messages under way; for CONSTRAINT

VARIABLES
    vote, log,     \* what a node stores. Entries that a snapshot stands for are gone
    snapshot,      \* its latest snapshot, which is stored too
    purgeTo,       \* up to where entries may go. A leader keeps them as long as it has some of them under way
    commit,        \* up to where its log is committed
    applied,       \* what its state machine has been told
    role,          \* what it thinks that it is
    lease,         \* whether it gives no votes because it has heard of a leader
    accepted,      \* up to where its log is that of a leader, and of which
    candidacy,     \* the vote for which a candidate stands, and who has given it
    match,         \* up to where a leader knows others' logs to be its own
    bound,         \* up to where a leader thinks that others' logs may be its own. Only kept if there are snapshots
    inFlight,      \* the others to which a leader has entries or a snapshot under way or about to be sent
    streams,       \* the tasks that send a leader's log; they go on for a while when it leads no longer
    era,           \* how often a node has crashed or given up a call
    messages,      \* under way
    requests, heartbeats, lapses, giveUps, restarts, snapshots, changes

stored == <<log, snapshot, purgeTo>>
applies == <<commit, applied>>
known == <<match, bound, inFlight>>
counters == <<requests, heartbeats, lapses, giveUps, restarts, snapshots, changes>>
vars == <<vote, stored, applies, role, lease, accepted, candidacy, known, streams, era, messages, counters>>

-----------------------------------------------------------------------------
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
Under(type) == {m \in messages : m.type = type}
Nothing == <<>>

Rank(i) == CASE i = Nil -> 0 [] i = n1 -> 1 [] i = n2 -> 2 [] i = n3 -> 3 [] i = n4 -> 4 [] OTHER -> 5

\* Where an entry is: its term, its leader, and its index. No entry is `None`.
None == [term |-> 0, node |-> Nil, index |-> 0]
Id(lg, k) == IF k = 0 THEN None ELSE [term |-> lg[k].term, node |-> lg[k].node, index |-> k]
Last(lg) == Id(lg, Len(lg))

\* Entries that a snapshot stands for. Only of the last of them it is known where it was.
GoneAt(t, i) == [term |-> t, node |-> i, value |-> "gone", voters |-> <<>>, nodes |-> {}]
Gone == GoneAt(0, Nil)
Purged(lg) == Cardinality({k \in 1..Len(lg) : lg[k].value = "gone"})
Purge(lg, id) ==
    [k \in 1..Max(id.index, Len(lg)) |->
        IF k < id.index THEN Gone ELSE IF k = id.index THEN GoneAt(id.term, id.node) ELSE lg[k]]

\* What the entries from `first` to `end` tell a state machine.
RECURSIVE Told(_, _, _)
Told(lg, first, end) ==
    IF first > end THEN <<>>
    ELSE (IF lg[first].value \in {"members", "blank"} THEN <<>> ELSE <<lg[first].value>>) \o Told(lg, first + 1, end)

Below(a, b) ==
    \/ a.term < b.term
    \/ a.term = b.term /\ Rank(a.node) < Rank(b.node)
    \/ a.term = b.term /\ a.node = b.node /\ a.index < b.index
Lesser(a, b) == IF Below(a, b) THEN a ELSE b

(* Members: who votes, perhaps in two sets of nodes that both need a majority, and all nodes, with those that only learn. The last entry with  *)
(* members counts, committed or not.                                                                                                          *)
Entry(t, i, v) == [term |-> t, node |-> i, value |-> v, voters |-> <<>>, nodes |-> {}]
Configuration(t, i, voters, nodes) == [term |-> t, node |-> i, value |-> "members", voters |-> voters, nodes |-> nodes]
Unknown == [voters |-> <<>>, nodes |-> {}]

MembersAt(lg) ==
    LET places == {k \in 1..Len(lg) : lg[k].value = "members"} IN IF places = {} THEN 0 ELSE CHOOSE k \in places : \A n \in places : n <= k

\* Without changes, entries with members may be gone.
MembersIn(lg) ==
    IF MaxChanges = 0 THEN [voters |-> <<Members>>, nodes |-> Members]
    ELSE LET k == MembersAt(lg) IN IF k = 0 THEN Unknown ELSE [voters |-> lg[k].voters, nodes |-> lg[k].nodes]

Voters(lg) == LET voters == MembersIn(lg).voters IN UNION {voters[k] : k \in DOMAIN voters}
Others(i) == MembersIn(log[i]).nodes \ {i}
Majority(nodes, lg) ==
    LET voters == MembersIn(lg).voters IN \A k \in DOMAIN voters : 2 * Cardinality(nodes \intersect voters[k]) > Cardinality(voters[k])
RoleBeside(i, lg) == IF i \in Voters(lg) THEN "Follower" ELSE "Learner"

\* Votes are ordered likewise; one that a majority has given is greater than the same without.
Outvoted(a, b) ==
    \/ a.term < b.term
    \/ a.term = b.term /\ Rank(a.node) < Rank(b.node)
    \/ a.term = b.term /\ a.node = b.node /\ ~a.committed /\ b.committed

-----------------------------------------------------------------------------
(* The tasks that send a leader's log. One has a call under way, or waits; what it is told in the meantime waits for it. A snapshot goes its own *)
(* way: while it is under way, the task still says up to where entries are committed.                                                            *)

\* What a task is told to send: nothing but the commit index, entries after `prev` up to `upto`, or a snapshot.
NoData == [kind |-> "none", prev |-> None, upto |-> None]
Entries(prev, upto) == [kind |-> "entries", prev |-> prev, upto |-> upto]
ASnapshot == [kind |-> "snapshot", prev |-> None, upto |-> None]

Idle(c, e, n) ==
    [turn |-> n, busy |-> FALSE, sent |-> NoData, queued |-> FALSE, next |-> NoData, match |-> None, commit |-> c, era |-> e, ended |-> FALSE,
     snapshot |-> "none", last |-> None, snapshotEra |-> 0, reply |-> Nil]

\* A task that is told to send something, and perhaps to say something in any case.
Tell(s, data, c, speaks) ==
    IF s.ended \/ (data = NoData /\ ~speaks) THEN s
    ELSE [s EXCEPT !.commit = c, !.queued = TRUE, !.next = IF data = NoData THEN @ ELSE data]

\* A task that waits, and has been told something, begins a call. A snapshot takes the place of what else it would say.
Begins(s) == ~s.busy /\ s.queued
Begun(i, s, e) ==
    IF ~Begins(s) THEN s
    ELSE IF s.next.kind = "snapshot"
    THEN [s EXCEPT !.queued = FALSE, !.next = NoData, !.snapshot = "sent", !.last = snapshot[i].last, !.snapshotEra = e]
    ELSE [s EXCEPT !.busy = TRUE, !.sent = s.next, !.queued = FALSE, !.next = NoData, !.era = e]

\* What a task sends when it begins a call.
Call(i, j, s, e, v, lg) ==
    IF s.next.kind = "snapshot"
    THEN [type |-> "snapshot", from |-> i, to |-> j, era |-> e, turn |-> 0, vote |-> v, last |-> snapshot[i].last, values |-> snapshot[i].values]
    ELSE [type |-> "append", from |-> i, to |-> j, era |-> e, turn |-> s.turn, vote |-> v, commit |-> s.commit,
          prev |-> IF s.next = NoData THEN s.match ELSE s.next.prev,
          entries |-> IF s.next = NoData THEN <<>>
                      ELSE SelectSeq(SubSeq(lg, s.next.prev.index + 1, Min(s.next.upto.index, Len(lg))), LAMBDA entry : entry.value # "gone")]

\* The tasks of node i after they were told something, and the messages that they send.
After(i, told, e) == [j \in DOMAIN told |-> Begun(i, told[j], e)]
Sent(i, told, e, v, lg) == {Call(i, j, told[j], e, v, lg) : j \in {j \in DOMAIN told : Begins(told[j])}}

\* What leader i sends next to a node whose log is its own up to m, and may be up to b. Entries that may go are no longer sent.
NextData(i, lg, m, b) ==
    LET start == Max(m, purgeTo[i]) IN
    IF b < purgeTo[i] THEN ASnapshot
    ELSE IF start < Len(lg) THEN Entries(Id(lg, start), Last(lg))
    ELSE IF m < b THEN ASnapshot ELSE NoData

BoundOf(i, j) == IF MaxSnapshots = 0 THEN 0 ELSE bound[i][j]
Bounds(f) == IF MaxSnapshots = 0 THEN Nothing ELSE f

\* Whether one of these nodes has entries under way that are to go.
InUse(nodes, tasks, id) ==
    \E j \in nodes :
        LET data == IF tasks[j].busy /\ tasks[j].sent # NoData THEN tasks[j].sent ELSE tasks[j].next
        IN data.kind = "entries" /\ Below(data.prev, id)

-----------------------------------------------------------------------------
(* Votes *)

\* Node i takes over a vote that is not less than its own, and follows whoever it is for.
\* `lg` is the log that it has then.
TakeOver(i, v, lg) ==
    /\ vote' = [vote EXCEPT ![i] = v]
    /\ lease' = [lease EXCEPT ![i] = v.committed]
    /\ IF v.node = i THEN UNCHANGED <<role, candidacy, known>>
       ELSE /\ role' = [role EXCEPT ![i] = RoleBeside(i, lg)]
            /\ candidacy' = [candidacy EXCEPT ![i] = Nil]
            /\ match' = [match EXCEPT ![i] = Nothing]
            /\ bound' = [bound EXCEPT ![i] = Nothing]
            /\ inFlight' = [inFlight EXCEPT ![i] = {}]

Stay == UNCHANGED <<vote, lease, role, candidacy, known>>

Timeout(i) ==
    LET v == [term |-> vote[i].term + 1, node |-> i, committed |-> FALSE] IN
    /\ i \in Candidates
    /\ role[i] \in {"Follower", "Candidate"}
    /\ i \in Voters(log[i])
    /\ v.term <= MaxTerm
    /\ vote' = [vote EXCEPT ![i] = v]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ candidacy' = [candidacy EXCEPT ![i] = [vote |-> v, given |-> {i}]]
    /\ messages' = messages \union
           {[type |-> "vote", from |-> i, to |-> j, vote |-> v, last |-> Last(log[i])] : j \in Voters(log[i]) \ {i}}
    /\ UNCHANGED <<stored, applies, accepted, known, streams, era, counters>>

LeaseEnds(i) ==
    /\ lease[i]
    /\ lapses < MaxLapses
    /\ lapses' = lapses + 1
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ UNCHANGED <<vote, stored, applies, role, accepted, candidacy, known, streams, era, messages, requests, heartbeats, giveUps, restarts, snapshots, changes>>

HandleVote(m) ==
    LET i == m.to
        grants == ~lease[i] /\ ~Below(m.last, Last(log[i])) /\ ~Outvoted(m.vote, vote[i])
    IN
    /\ m \in Under("vote")
    /\ role[i] # "Down"
    /\ IF grants THEN TakeOver(i, m.vote, log[i]) ELSE Stay
    /\ messages' = (messages \ {m}) \union
           {[type |-> "voteAnswer", from |-> i, to |-> m.from, asked |-> m.vote, vote |-> vote'[i], granted |-> grants, last |-> Last(log[i])]}
    /\ UNCHANGED <<stored, applies, accepted, streams, era, counters>>

\* All entries go to all others, since nothing is known of their logs but that they may be the same up to b.
Lead(i, v, lg, c, b, e, rest) ==
    LET told == [j \in Others(i) |-> Tell(Idle(Id(lg, c), e, 0), NextData(i, lg, 0, b), Id(lg, c), FALSE)] IN
    /\ vote' = [vote EXCEPT ![i] = v]
    /\ lease' = [lease EXCEPT ![i] = TRUE]
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ candidacy' = [candidacy EXCEPT ![i] = Nil]
    /\ log' = [log EXCEPT ![i] = lg]
    /\ match' = [match EXCEPT ![i] = [j \in Others(i) |-> 0]]
    /\ bound' = [bound EXCEPT ![i] = Bounds([j \in Others(i) |-> b])]
    /\ inFlight' = [inFlight EXCEPT ![i] = Others(i)]
    /\ streams' = [streams EXCEPT ![i] = [vote |-> v, to |-> After(i, told, e), old |-> {}, turns |-> [j \in Server |-> IF j \in Others(i) THEN 1 ELSE 0]]]
    /\ messages' = rest \union Sent(i, told, e, v, lg)

\* An answer to an earlier candidacy counts for nothing. A refusal may carry a greater vote.
HandleVoteAnswer(m) ==
    LET i == m.to
        counts == role[i] # "Down" /\ candidacy[i] # Nil /\ candidacy[i].vote = m.asked
        given == candidacy[i].given \union {m.from}
        isGiven == counts /\ m.granted /\ m.vote = m.asked
        wins == isGiven /\ Majority(given, log[i])
        other == [m.vote EXCEPT !.committed = FALSE]
    IN
    /\ m \in Under("voteAnswer")
    /\ role[i] # "Down"
    /\ \/ /\ wins
          /\ Lead(i, [vote[i] EXCEPT !.committed = TRUE], Append(log[i], Entry(vote[i].term, i, "blank")),
                  commit[i], Len(log[i]), era[i], messages \ {m})
       \/ /\ ~wins
          /\ messages' = messages \ {m}
          /\ IF isGiven
             THEN /\ candidacy' = [candidacy EXCEPT ![i].given = given]
                  /\ UNCHANGED <<vote, lease, role, known>>
             ELSE IF counts /\ ~Outvoted(other, vote[i]) THEN TakeOver(i, other, log[i]) ELSE Stay
          /\ UNCHANGED <<log, streams>>
    /\ UNCHANGED <<snapshot, purgeTo, applies, accepted, era, counters>>

-----------------------------------------------------------------------------
(* Replication *)

ClientRequest(i) ==
    LET lg == Append(log[i], Entry(vote[i].term, i, ToString(requests + 1)))
        told == [j \in Others(i) |->
                    LET s == streams[i].to[j]
                    IN Tell(s, IF j \in inFlight[i] THEN NoData ELSE NextData(i, lg, match[i][j], BoundOf(i, j)), s.commit, FALSE)]
    IN
    /\ role[i] = "Leader"
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ log' = [log EXCEPT ![i] = lg]
    /\ inFlight' = [inFlight EXCEPT ![i] = Others(i)]
    /\ streams' = [streams EXCEPT ![i].to = After(i, told, era[i])]
    /\ messages' = messages \union Sent(i, told, era[i], streams[i].vote, lg)
    /\ UNCHANGED <<vote, snapshot, purgeTo, applies, role, lease, accepted, candidacy, match, bound, era, heartbeats, lapses, giveUps, restarts, snapshots, changes>>

\* A heartbeat goes to those that nothing else is under way to. A leader that is no longer a member then steps down, as soon as that is committed.
Heartbeat(i) ==
    LET told == [j \in Others(i) |-> LET s == streams[i].to[j] IN Tell(s, NoData, s.commit, j \notin inFlight[i])]
        leaves == i \notin MembersIn(log[i]).nodes /\ MembersAt(log[i]) <= commit[i]
    IN
    /\ role[i] = "Leader"
    /\ heartbeats < MaxHeartbeats
    /\ heartbeats' = heartbeats + 1
    /\ streams' = [streams EXCEPT ![i].to = After(i, told, era[i])]
    /\ messages' = messages \union Sent(i, told, era[i], streams[i].vote, log[i])
    /\ role' = IF leaves THEN [role EXCEPT ![i] = "Learner"] ELSE role
    /\ match' = IF leaves THEN [match EXCEPT ![i] = Nothing] ELSE match
    /\ bound' = IF leaves THEN [bound EXCEPT ![i] = Nothing] ELSE bound
    /\ inFlight' = IF leaves THEN [inFlight EXCEPT ![i] = {}] ELSE inFlight
    /\ UNCHANGED <<vote, stored, applies, lease, accepted, candidacy, era, requests, lapses, giveUps, restarts, snapshots, changes>>

\* An entry up to the commit index is not looked at: it is taken to be the same.
Has(i, id) == id.index <= commit[i] \/ (id.index <= Len(log[i]) /\ Id(log[i], id.index) = id)

HandleAppend(m) ==
    LET i == m.to
        ids == [k \in 1..Len(m.entries) |-> [term |-> m.entries[k].term, node |-> m.entries[k].node, index |-> m.prev.index + k]]
        new == {k \in 1..Len(m.entries) : ~Has(i, ids[k])}
        first == CHOOSE k \in new : \A n \in new : k <= n
        mine == accepted[i].term = m.vote.term /\ accepted[i].node = m.vote.node
        before == IF mine THEN accepted[i].upto ELSE None
        upto == IF m.entries = <<>> \/ Below(ids[Len(ids)], m.prev) THEN m.prev ELSE ids[Len(ids)]
        greatest == IF Below(before, upto) THEN upto ELSE before
        c == Lesser(greatest, m.commit)
        answer == [type |-> "appendAnswer", from |-> i, to |-> m.from, era |-> m.era, turn |-> m.turn, asked |-> m.vote, result |-> "success", vote |-> Nil]
    IN
    /\ m \in Under("append")
    /\ role[i] # "Down"
    /\ IF Outvoted(m.vote, vote[i])
       THEN /\ Stay
            /\ messages' = (messages \ {m}) \union {[answer EXCEPT !.result = "higher", !.vote = vote[i]]}
            /\ UNCHANGED <<log, applies, accepted>>
       ELSE /\ IF ~Has(i, m.prev)
               THEN /\ log' = [log EXCEPT ![i] = SubSeq(@, 1, Min(Len(@), m.prev.index - 1))]
                    /\ messages' = (messages \ {m}) \union {[answer EXCEPT !.result = "conflict"]}
                    /\ UNCHANGED <<applies, accepted>>
               ELSE /\ log' = IF new = {} THEN log
                              ELSE [log EXCEPT ![i] = SubSeq(@, 1, m.prev.index + first - 1) \o SubSeq(m.entries, first, Len(m.entries))]
                    /\ accepted' = IF Below(before, upto)
                                   THEN [accepted EXCEPT ![i] = [term |-> m.vote.term, node |-> m.vote.node, upto |-> upto]]
                                   ELSE accepted
                    /\ IF Below(Id(log[i], commit[i]), c)
                       THEN /\ commit' = [commit EXCEPT ![i] = c.index]
                            /\ applied' = [applied EXCEPT ![i] = @ \o Told(log'[i], commit[i] + 1, c.index)]
                       ELSE UNCHANGED applies
                    /\ messages' = (messages \ {m}) \union {answer}
            /\ TakeOver(i, m.vote, log'[i])
    /\ UNCHANGED <<snapshot, purgeTo, streams, era, counters>>

\* The largest index that a majority has.
Agreed(i, matched, lg) ==
    LET have(k) == {i} \union {j \in DOMAIN matched : matched[j] >= k}
    IN CHOOSE k \in 0..Len(lg) : Majority(have(k), lg) /\ \A n \in (k + 1)..Len(lg) : ~Majority(have(n), lg)

(* The task of node i for j has done what it was told: `matches` is up to where the logs are known to be the same (`None` if this says nothing *)
(* new), `conflict` where they are known to differ (0 if nowhere), and `carried` whether entries or a snapshot were sent. `tasks` are the tasks  *)
(* as this leaves them. The task goes on first if it was told something in the meantime; then the leader hears of it, tells all tasks if it      *)
(* commits, lets entries go that nobody needs any more, and sends what comes next.                                                               *)
Ended(i, j, tasks, matches, conflict, carried, e, rest) ==
    LET leads == role[i] = "Leader" /\ vote[i] = streams[i].vote
        first == After(i, tasks, e)
        matched == IF leads /\ carried /\ matches # None THEN [match[i] EXCEPT ![j] = matches.index] ELSE match[i]
        bounds == IF ~leads \/ ~carried \/ bound[i] = Nothing THEN bound[i]
                  ELSE [bound[i] EXCEPT ![j] = IF conflict > 0 THEN Min(@, conflict - 1) ELSE Max(@, matches.index)]
        agreed == Agreed(i, matched, log[i])
        commits == leads /\ agreed > commit[i] /\ log[i][agreed].term = vote[i].term /\ log[i][agreed].node = i
        flying == IF carried THEN inFlight[i] \ {j} ELSE inFlight[i]
        upto == Id(log[i], purgeTo[i])
        purges == leads /\ purgeTo[i] > Purged(log[i]) /\ ~InUse(flying, first, upto)
        lg == IF purges THEN Purge(log[i], upto) ELSE log[i]
        data == IF leads /\ j \notin flying THEN NextData(i, lg, matched[j], IF bounds = Nothing THEN 0 ELSE bounds[j]) ELSE NoData
        told == [k \in DOMAIN first |->
                    Tell(first[k], IF k = j THEN data ELSE NoData, IF commits THEN Id(log[i], agreed) ELSE first[k].commit, commits)]
    IN
    /\ match' = IF leads THEN [match EXCEPT ![i] = matched] ELSE match
    /\ bound' = [bound EXCEPT ![i] = bounds]
    /\ inFlight' = IF leads THEN [inFlight EXCEPT ![i] = IF data # NoData THEN flying \union {j} ELSE flying] ELSE inFlight
    /\ commit' = IF commits THEN [commit EXCEPT ![i] = agreed] ELSE commit
    /\ applied' = IF commits THEN [applied EXCEPT ![i] = @ \o Told(log[i], commit[i] + 1, agreed)] ELSE applied
    /\ log' = [log EXCEPT ![i] = lg]
    /\ streams' = [streams EXCEPT ![i].to = After(i, told, e)]
    /\ messages' = rest \union Sent(i, tasks, e, streams[i].vote, log[i]) \union Sent(i, told, e, streams[i].vote, lg)
    /\ UNCHANGED <<vote, role, lease, candidacy>>

\* The task of node i for j ends, since there is a greater vote.
Quits(i, j, higher, rest) ==
    /\ streams' = LET s == streams[i].to[j]
                  IN [streams EXCEPT ![i].to[j] = [Idle(s.commit, s.era, s.turn) EXCEPT !.match = s.match, !.ended = TRUE]]
    /\ messages' = rest
    /\ IF role[i] = "Leader" /\ vote[i] = streams[i].vote THEN TakeOver(i, higher, log[i]) ELSE Stay
    /\ UNCHANGED <<log, applies>>

\* A snapshot of node i was taken in by j, or refused, and the task for j learns of it. Nothing else that it was told is left.
Shipped(i, j, reply, e, rest) ==
    LET s == streams[i].to[j]
        done == [s EXCEPT !.busy = FALSE, !.sent = NoData, !.queued = FALSE, !.next = NoData, !.match = s.last,
                          !.snapshot = "none", !.last = None, !.snapshotEra = 0, !.reply = Nil]
    IN IF Outvoted(streams[i].vote, reply) THEN Quits(i, j, reply, rest)
       ELSE Ended(i, j, [streams[i].to EXCEPT ![j] = done], s.last, 0, TRUE, e, rest)

\* A call of node i to j has ended. If the answer to a snapshot has come in the meantime, the task learns of that now.
CallEnds(i, j, matches, conflict, e, rest) ==
    LET s == streams[i].to[j]
        done == [s EXCEPT !.busy = FALSE, !.sent = NoData, !.match = IF matches = None THEN @ ELSE matches]
    IN IF s.snapshot = "answered" THEN Shipped(i, j, s.reply, e, rest)
       ELSE Ended(i, j, [streams[i].to EXCEPT ![j] = done], matches, conflict, s.sent # NoData, e, rest)

\* Whether a task waits for this answer.
Awaited(m) ==
    LET i == m.to IN
    /\ streams[i] # Nil
    /\ streams[i].vote = m.asked
    /\ m.from \in DOMAIN streams[i].to
    /\ LET s == streams[i].to[m.from] IN s.busy /\ s.era = m.era /\ s.turn = m.turn

\* A task from before a change of members waits for this answer, and then ends.
CallOf(j, s) == [to |-> j, era |-> s.era, turn |-> s.turn]
AwaitedOnce(m) ==
    LET i == m.to IN streams[i] # Nil /\ streams[i].vote = m.asked /\ CallOf(m.from, m) \in streams[i].old

Forgotten(m) ==
    LET i == m.to IN
    /\ messages' = messages \ {m}
    /\ streams' = [streams EXCEPT ![i].old = @ \ {CallOf(m.from, m)}]
    /\ IF m.result = "higher" /\ role[i] = "Leader" /\ vote[i] = streams[i].vote THEN TakeOver(i, m.vote, log[i]) ELSE Stay
    /\ UNCHANGED <<log, applies>>

\* Nobody waits for an answer.
Ignored(m) ==
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<log, applies, streams>>
    /\ Stay

HandleAppendAnswer(m) ==
    LET i == m.to
        sent == streams[i].to[m.from].sent
    IN
    /\ m \in Under("appendAnswer")
    /\ role[i] # "Down"
    /\ IF AwaitedOnce(m) THEN Forgotten(m)
       ELSE IF ~Awaited(m) THEN Ignored(m)
       ELSE IF m.result = "higher" THEN Quits(i, m.from, m.vote, messages \ {m})
       ELSE CallEnds(i, m.from, IF m.result = "success" THEN sent.upto ELSE None, IF m.result = "conflict" THEN sent.prev.index ELSE 0, era[i],
                     messages \ {m})
    /\ UNCHANGED <<snapshot, purgeTo, accepted, era, counters>>

GiveUp(i, j) ==
    /\ streams[i] # Nil
    /\ j \in DOMAIN streams[i].to
    /\ streams[i].to[j].busy
    /\ giveUps < MaxGiveUps
    /\ giveUps' = giveUps + 1
    /\ era' = [era EXCEPT ![i] = @ + 1]
    /\ CallEnds(i, j, None, 0, era[i] + 1, messages)
    /\ UNCHANGED <<snapshot, purgeTo, accepted, requests, heartbeats, lapses, restarts, snapshots, changes>>

-----------------------------------------------------------------------------
(* Snapshots *)

\* Node i makes a snapshot of its state machine. A leader keeps the entries as long as some of them are under way.
TakeSnapshot(i) ==
    LET last == Id(log[i], commit[i]) IN
    /\ role[i] # "Down"
    /\ i \in Snapshotters
    /\ snapshots < MaxSnapshots
    /\ commit[i] > snapshot[i].last.index
    /\ snapshots' = snapshots + 1
    /\ snapshot' = [snapshot EXCEPT ![i] = [last |-> last, values |-> applied[i]]]
    /\ purgeTo' = [purgeTo EXCEPT ![i] = last.index]
    /\ log' = IF role[i] = "Leader" /\ InUse(inFlight[i], streams[i].to, last) THEN log ELSE [log EXCEPT ![i] = Purge(@, last)]
    /\ UNCHANGED <<vote, applies, role, lease, accepted, candidacy, known, streams, era, messages, requests, heartbeats, lapses, giveUps, restarts, changes>>

\* A snapshot that says nothing new is not looked at. Otherwise all entries that are not committed go if one of them differs from its last one.
HandleSnapshot(m) ==
    LET i == m.to
        isNew == Below(Id(log[i], commit[i]), m.last)
        differs == m.last.index \in (commit[i] + 1)..Len(log[i]) /\ Id(log[i], m.last.index) # m.last
        kept == IF differs THEN SubSeq(log[i], 1, commit[i]) ELSE log[i]
        mine == accepted[i].term = m.vote.term /\ accepted[i].node = m.vote.node
    IN
    /\ m \in Under("snapshot")
    /\ role[i] # "Down"
    /\ IF ~Outvoted(m.vote, vote[i]) /\ isNew
       THEN /\ snapshot' = [snapshot EXCEPT ![i] = [last |-> m.last, values |-> m.values]]
            /\ purgeTo' = [purgeTo EXCEPT ![i] = m.last.index]
            /\ log' = [log EXCEPT ![i] = Purge(kept, m.last)]
            /\ commit' = [commit EXCEPT ![i] = m.last.index]
            /\ applied' = [applied EXCEPT ![i] = m.values]
            /\ accepted' = IF Below(IF mine THEN accepted[i].upto ELSE None, m.last)
                           THEN [accepted EXCEPT ![i] = [term |-> m.vote.term, node |-> m.vote.node, upto |-> m.last]]
                           ELSE accepted
       ELSE UNCHANGED <<stored, applies, accepted>>
    /\ IF Outvoted(m.vote, vote[i]) THEN Stay ELSE TakeOver(i, m.vote, log'[i])
    /\ messages' = (messages \ {m}) \union
           {[type |-> "snapshotAnswer", from |-> i, to |-> m.from, era |-> m.era, turn |-> m.turn, asked |-> m.vote, vote |-> vote'[i]]}
    /\ UNCHANGED <<streams, era, counters>>

\* A task that has another call under way learns of the answer when that has ended.
HandleSnapshotAnswer(m) ==
    LET i == m.to
        s == streams[i].to[m.from]
        awaited == streams[i] # Nil /\ streams[i].vote = m.asked /\ m.from \in DOMAIN streams[i].to /\ s.snapshot = "sent" /\ s.snapshotEra = m.era
    IN
    /\ m \in Under("snapshotAnswer")
    /\ role[i] # "Down"
    /\ IF ~awaited THEN Ignored(m)
       ELSE IF s.busy
       THEN /\ streams' = [streams EXCEPT ![i].to[m.from] = [@ EXCEPT !.snapshot = "answered", !.reply = m.vote]]
            /\ messages' = messages \ {m}
            /\ UNCHANGED <<log, applies>>
            /\ Stay
       ELSE Shipped(i, m.from, m.vote, era[i], messages \ {m})
    /\ UNCHANGED <<snapshot, purgeTo, accepted, era, counters>>

-----------------------------------------------------------------------------
(* Members *)

\* Leader i adds an entry with members, and begins anew with all others: the tasks that it has had end, each when its call under way has.
Change(i, voters, nodes) ==
    LET lg == Append(log[i], Configuration(vote[i].term, i, voters, nodes))
        old == streams[i]
        to == nodes \ {i}
        matched == [j \in to |-> IF j \in DOMAIN match[i] THEN match[i][j] ELSE 0]
        bounds == [j \in to |-> IF MaxSnapshots = 0 THEN 0 ELSE IF j \in DOMAIN match[i] THEN bound[i][j] ELSE Len(lg)]
        agreed == Agreed(i, matched, lg)
        commits == agreed > commit[i] /\ lg[agreed].term = vote[i].term /\ lg[agreed].node = i
        c == IF commits THEN agreed ELSE commit[i]
        told == [j \in to |->
                    Tell([Idle(Id(log[i], commit[i]), era[i], old.turns[j]) EXCEPT !.match = IF j \in DOMAIN old.to THEN old.to[j].match ELSE None],
                         NextData(i, lg, matched[j], bounds[j]), Id(lg, c), commits)]
    IN
    /\ role[i] = "Leader"
    /\ changes < MaxChanges
    /\ MembersAt(log[i]) <= commit[i]
    /\ changes' = changes + 1
    /\ log' = [log EXCEPT ![i] = lg]
    /\ match' = [match EXCEPT ![i] = matched]
    /\ bound' = [bound EXCEPT ![i] = Bounds(bounds)]
    /\ inFlight' = [inFlight EXCEPT ![i] = to]
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ applied' = [applied EXCEPT ![i] = @ \o Told(lg, commit[i] + 1, c)]
    /\ streams' = [streams EXCEPT ![i] =
           [vote |-> old.vote, to |-> After(i, told, era[i]), turns |-> [j \in Server |-> old.turns[j] + (IF j \in to THEN 1 ELSE 0)],
            old |-> old.old \union {CallOf(j, old.to[j]) : j \in {j \in DOMAIN old.to : old.to[j].busy}}]]
    /\ messages' = messages \union Sent(i, told, era[i], old.vote, lg)
    /\ UNCHANGED <<vote, snapshot, purgeTo, role, lease, accepted, candidacy, era, requests, heartbeats, lapses, giveUps, restarts, snapshots>>

AddLearner(i, j) ==
    LET members == MembersIn(log[i]) IN
    /\ j \in Learners \ members.nodes
    /\ Change(i, members.voters, members.nodes \union {j})

\* One step to where the nodes of `goal` vote: both sets if they do not yet, else only the new one. Whoever no longer votes is no member any more.
ChangeVoters(i, goal) ==
    LET members == MembersIn(log[i])
        count == Len(members.voters)
        isNear == \E k \in 1..count : members.voters[k] = goal
        voters == IF isNear THEN <<goal>> ELSE <<members.voters[count], goal>>
        leaving == Voters(log[i]) \ UNION {voters[k] : k \in DOMAIN voters}
    IN
    /\ count > 0
    /\ members.voters # <<goal>>
    /\ goal \subseteq members.nodes
    /\ Change(i, voters, members.nodes \ leaving)

-----------------------------------------------------------------------------
(* Crashes *)

\* The vote, the log and the snapshot are stored; the commit index and the state machine are not.
Restart(i) ==
    /\ role[i] # "Down"
    /\ restarts < MaxRestarts
    /\ restarts' = restarts + 1
    /\ role' = [role EXCEPT ![i] = "Down"]
    /\ purgeTo' = [purgeTo EXCEPT ![i] = Purged(log[i])]
    /\ commit' = [commit EXCEPT ![i] = 0]
    /\ applied' = [applied EXCEPT ![i] = <<>>]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ accepted' = [accepted EXCEPT ![i] = [term |-> 0, node |-> Nil, upto |-> None]]
    /\ candidacy' = [candidacy EXCEPT ![i] = Nil]
    /\ match' = [match EXCEPT ![i] = Nothing]
    /\ bound' = [bound EXCEPT ![i] = Nothing]
    /\ inFlight' = [inFlight EXCEPT ![i] = {}]
    /\ streams' = [streams EXCEPT ![i] = Nil]
    /\ era' = [era EXCEPT ![i] = @ + 1]
    /\ UNCHANGED <<vote, log, snapshot, messages, requests, heartbeats, lapses, giveUps, snapshots, changes>>

\* What the snapshot has is committed. Whoever has led goes on leading.
Boot(i) ==
    LET c == snapshot[i].last.index IN
    /\ role[i] = "Down"
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ applied' = [applied EXCEPT ![i] = snapshot[i].values]
    /\ IF vote[i].node = i /\ vote[i].committed /\ i \in MembersIn(log[i]).nodes
       THEN Lead(i, vote[i], log[i], c, Len(log[i]), era[i], messages)
       ELSE /\ role' = [role EXCEPT ![i] = RoleBeside(i, log[i])]
            /\ lease' = [lease EXCEPT ![i] = vote[i].committed]
            /\ UNCHANGED <<vote, candidacy, log, known, streams, messages>>
    /\ UNCHANGED <<snapshot, purgeTo, accepted, era, counters>>

-----------------------------------------------------------------------------
Init ==
    /\ vote = [i \in Server |-> [term |-> 0, node |-> Nil, committed |-> FALSE]]
    /\ log = [i \in Server |-> IF i \in Members THEN <<Configuration(0, Nil, <<Members>>, Members)>> ELSE <<>>]
    /\ snapshot = [i \in Server |-> [last |-> None, values |-> <<>>]]
    /\ purgeTo = [i \in Server |-> 0]
    /\ commit = [i \in Server |-> 0]
    /\ applied = [i \in Server |-> <<>>]
    /\ role = [i \in Server |-> IF i \in Members THEN "Follower" ELSE "Learner"]
    /\ lease = [i \in Server |-> FALSE]
    /\ accepted = [i \in Server |-> [term |-> 0, node |-> Nil, upto |-> None]]
    /\ candidacy = [i \in Server |-> Nil]
    /\ match = [i \in Server |-> Nothing]
    /\ bound = [i \in Server |-> Nothing]
    /\ inFlight = [i \in Server |-> {}]
    /\ streams = [i \in Server |-> Nil]
    /\ era = [i \in Server |-> 0]
    /\ messages = {}
    /\ requests = 0
    /\ heartbeats = 0
    /\ lapses = 0
    /\ giveUps = 0
    /\ restarts = 0
    /\ snapshots = 0
    /\ changes = 0

Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E i \in Server : LeaseEnds(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i \in Server : Heartbeat(i)
    \/ \E i, j \in Server : GiveUp(i, j)
    \/ \E i \in Server : TakeSnapshot(i)
    \/ \E i, j \in Server : AddLearner(i, j)
    \/ \E i \in Server : \E goal \in Goals : ChangeVoters(i, goal)
    \/ \E i \in Server : Restart(i)
    \/ \E i \in Server : Boot(i)
    \/ \E m \in messages : HandleVote(m)
    \/ \E m \in messages : HandleVoteAnswer(m)
    \/ \E m \in messages : HandleAppend(m)
    \/ \E m \in messages : HandleAppendAnswer(m)
    \/ \E m \in messages : HandleSnapshot(m)
    \/ \E m \in messages : HandleSnapshotAnswer(m)

Spec == Init /\ [][Next]_vars

FewInFlight == Cardinality(messages) <= MaxInFlight

\* For ACTION_CONSTRAINT: nothing else happens while somebody is asked for a vote.
AboutVotes == Under("vote") \union Under("voteAnswer")
ElectionsFirst == AboutVotes = {} \/ AboutVotes' # AboutVotes

-----------------------------------------------------------------------------
\* A leader is a term and a node, so one leader a term is not what this protocol promises. What it promises is this:

\* Entries that are the same as far as they are still there.
Same(a, b) == a = b \/ a.value = "gone" \/ b.value = "gone"

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
        Id(log[i], k) = Id(log[j], k) => \A n \in 1..k : Same(log[i][n], log[j][n])

Committed ==
    \A i, j \in Server : \A k \in 1..Min(commit[i], commit[j]) : Same(log[i][k], log[j][k])

\* No task is about to read a part of the log that begins with entries that are gone.
ReadsFromTheStart ==
    \A i \in Server : streams[i] # Nil =>
        \A j \in DOMAIN streams[i].to :
            LET next == streams[i].to[j].next
            IN next.kind = "entries" => ~(next.prev.index < Purged(log[i]) /\ Purged(log[i]) < next.upto.index)

CommitInLog == \A i \in Server : commit[i] <= Len(log[i])

\* State machines are told the same, also by snapshots.
Applied ==
    \A i, j \in Server : \A k \in 1..Min(Len(applied[i]), Len(applied[j])) : applied[i][k] = applied[j][k]

\* Only what is committed is in a snapshot, and only what is in one is gone.
SnapshotIsCommitted == \A i \in Server : (role[i] = "Down" \/ snapshot[i].last.index <= commit[i]) /\ Purged(log[i]) <= snapshot[i].last.index
=============================================================================
