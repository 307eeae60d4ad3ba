------------------------------ MODULE AsyncRaft ------------------------------
(* Raft as the crate `async-raft` 0.6.1 carries it out, at the level of its network: a call waits for its answer, and a leader has at most one   *)
(* append or part of a snapshot under way to each other node. Members are removed, and not added.                                              *)
(*                                                                                                                                              *)
(* This is what the library does, not what it should do: see docs/findings/async-raft.md. The invariants at the end do not hold in all           *)
(* configurations.                                                                                                                              *)
(*                                                                                                                                              *)
(* A snapshot goes to others in two parts: all that is in it, and that this was all. What has gone wrong for good is `broken`: a leader's task   *)
(* that asks for a snapshot again and again and never comes to rest, and a node that shuts itself down.                                         *)
(*                                                                                                                                              *)
(* An action is a timer that runs out, a question or an answer that is taken in, or a client's request, and all that the tasks of the library    *)
(* then do until all of them wait. Where the library leaves to chance which of two events it looks at first, it is the one that stands first     *)
(* in its source.                                                                                                                                *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    n1, n2, n3,
    Server,        \* the nodes, of those above
    Nil,           \* no node
    Candidates,    \* the nodes whose timer for elections may run out
    MaxTerm,       \* no election beyond this term
    MaxRequests,   \* how many requests clients make
    MaxHeartbeats, \* how often a leader's timers for heartbeats run out
    MaxLapses,     \* how often a node that has heard of a leader is free again to vote
    MaxGiveUps,    \* how often a leader waits too long for an answer to an append
    MaxRestarts,   \* how often a node crashes and comes up again
    MaxChanges,    \* how often a leader is asked to remove members
    Goals,         \* the sets of nodes that are to be left
    Threshold,     \* a node makes a snapshot when it has applied so many entries since the last one; never if this is 0
    MaxInFlight    \* no further than states with more messages under way; for CONSTRAINT

VARIABLES
    term, vote, log,  \* what a node stores. Entries may be left over behind the last one that counts
    last,             \* the term and the index of its last entry
    role, leader,     \* what it thinks that it is, and whom it follows
    lease,            \* whether it gives no votes because it has heard of a leader
    votes,            \* who has voted for a candidate
    commit,           \* up to where it takes its log to be committed
    applied, machine, \* up to where it has told its state machine, and what
    begun,            \* whether it has told its state machine anything as a follower
    cache,            \* the entries of its leader that it has not applied, by index
    match,            \* the index and the term up to which a leader takes others to have its log
    waiting,          \* the first entry of a leader that it has not applied
    streams,          \* the tasks that send a leader's log
    snapshot,         \* its latest snapshot, which is stored too; entries before its last one are gone from the log
    covered,          \* up to where a node remembers its latest snapshot to go
    receiving,        \* what has come of a snapshot that is not complete yet
    broken,           \* the nodes of which nothing more can be said
    members,          \* who votes, as a node knows: one set of nodes, or two that both need a majority
    joint, uniform,   \* where the log of a leader is when it goes on with a change of members: from two sets to one, and to its end
    leaving,          \* whether a leader removes itself
    removing,         \* up to where others have to have the log of a leader before it sends them no more; 0 if they stay
    era,              \* how often a node has crashed or given up a call
    messages,         \* under way
    requests, heartbeats, lapses, giveUps, restarts, changes

counters == <<requests, heartbeats, lapses, giveUps, restarts, changes>>
follower == <<begun, cache>>
leading == <<match, waiting, streams>>
compaction == <<snapshot, covered, receiving, broken>>
changing == <<members, joint, uniform, leaving, removing>>
vars == <<term, vote, log, last, role, leader, lease, votes, commit, applied, machine, begun, cache, match, waiting, streams, compaction, changing, era,
          messages, counters>>

-----------------------------------------------------------------------------
All(voters) == UNION {voters[k] : k \in DOMAIN voters}
Others(i) == All(members[i]) \ {i}
Majority(nodes) == 2 * Cardinality(nodes) > Cardinality(Server)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
Under(type) == {m \in messages : m.type = type}
Rank(i) == CASE i = n1 -> 1 [] i = n2 -> 2 [] OTHER -> 3

\* Entries. One that is gone is in a snapshot, or has never been there.
Configuration(t, voters) == [term |-> t, value |-> "members", voters |-> voters]
Entry(t, value) == [term |-> t, value |-> value, voters |-> IF value = "members" THEN <<Server>> ELSE <<>>]
Gone == Entry(0, "gone")

\* The entries written behind the one at `index`; those further behind stay.
Written(lg, index, entries) ==
    [k \in 1..Max(Len(lg), index + Len(entries)) |-> IF k > index /\ k <= index + Len(entries) THEN entries[k - index]
                                                      ELSE IF k <= Len(lg) THEN lg[k] ELSE Gone]

\* What the state machine is told of the entries from `low` to `high`.
IsRequest(entry) == entry.value \notin {"blank", "members", "snapshot", "gone"}
RECURSIVE Told(_, _, _)
Told(lg, low, high) ==
    IF low > high \/ low > Len(lg) THEN <<>>
    ELSE (IF IsRequest(lg[low]) THEN <<[index |-> low, value |-> lg[low].value]>> ELSE <<>>) \o Told(lg, low + 1, high)

-----------------------------------------------------------------------------
(* Snapshots. One ends with the last request that the state machine was told. In the log, a pointer takes the place of that entry, and the     *)
(* entries before it are gone.                                                                                                                 *)
Pointer(t) == [term |-> t, value |-> "snapshot", voters |-> <<Server>>]
NoSnapshot == [index |-> 0, term |-> 0, machine |-> <<>>]
\* The members in a log up to an entry.
MembersUpTo(lg, end) ==
    LET places == {k \in 1..Min(end, Len(lg)) : lg[k].value = "members"}
    IN IF places = {} THEN <<Server>> ELSE lg[CHOOSE k \in places : \A n \in places : n <= k].voters
IsThere(lg, k) == k >= 1 /\ k <= Len(lg) /\ lg[k].value # "gone"

\* What there is of the entries from a to b, and whether a snapshot is among them.
Read(lg, a, b) == SelectSeq(SubSeq(lg, a, b), LAMBDA entry : entry.value # "gone")
HasPointer(lg, a, b) == \E k \in a..Min(b, Len(lg)) : lg[k].value = "snapshot"

\* Whether a node makes a snapshot that has told its state machine `told`, up to `upto`; and its log then.
IsDue(i, upto, told) == Threshold > 0 /\ receiving[i] = Nil /\ upto >= covered[i] + Threshold /\ told # <<>>
Compacted(lg, k) == [n \in 1..Len(lg) |-> IF n < k THEN Gone ELSE IF n = k THEN Pointer(lg[k].term) ELSE lg[n]]
Compacts(i, upto, told, lg) ==
    LET k == told[Len(told)].index IN
    IF IsDue(i, upto, told)
    THEN /\ snapshot' = [snapshot EXCEPT ![i] = [index |-> k, term |-> lg[k].term, machine |-> told]]
         /\ covered' = [covered EXCEPT ![i] = k]
         /\ log' = [log EXCEPT ![i] = Compacted(lg, k)]
    ELSE /\ log' = [log EXCEPT ![i] = lg]
         /\ UNCHANGED <<snapshot, covered>>

-----------------------------------------------------------------------------
(* The tasks that send a leader's log. One has a call under way, or waits; what it is told in the meantime waits for it in a queue. *)

\* Entries with the index of the first one.
Empty == [from |-> 1, entries |-> <<>>]
Upto(part) == part.from + Len(part.entries) - 1
IsEmpty(part) == part.entries = <<>>

Fresh(l, c, e) ==
    [mode |-> "first", busy |-> TRUE, out |-> Empty, buffer |-> Empty, queue |-> Empty, commit |-> c, told |-> c, ends |-> FALSE,
     next |-> l.index + 1, match |-> l, seen |-> l.index, era |-> e, part |-> 0, snap |-> NoSnapshot, learnt |-> Nil]

\* A task is told of a new entry, a commit index, or that it is over.
Queued(s, index, entry, c) ==
    [s EXCEPT !.queue = IF IsEmpty(@) THEN [from |-> index, entries |-> <<entry>>] ELSE [@ EXCEPT !.entries = Append(@, entry)], !.told = c]

\* A task takes all that it was told. Entries count only if it is not behind.
Drained(s, keeps) ==
    [s EXCEPT !.commit = s.told, !.queue = Empty, !.buffer = IF keeps THEN s.queue ELSE @, !.seen = IF IsEmpty(s.queue) THEN @ ELSE Upto(s.queue),
              !.mode = IF s.ends THEN "ended" ELSE @]

\* A task that can't go on without a snapshot: it forgets all that it was to send, and waits for one.
Snapshots(s) == [s EXCEPT !.out = Empty, !.buffer = Empty, !.mode = "wait", !.busy = FALSE]

\* A task that has no call under way does what it can: send what is there, first what is missing before it, or wait. If what is missing is gone,
\* it sends what is there nevertheless, as if nothing were missing.
Sending(s, lg) ==
    LET front == IF ~IsEmpty(s.out) THEN s.out.from ELSE s.buffer.from
        missing == Read(lg, s.next, front - 1)
    IN IF s.next # front /\ HasPointer(lg, s.next, front - 1) THEN Snapshots(s)
       ELSE IF s.next # front /\ missing # <<>>
       THEN [s EXCEPT !.busy = TRUE, !.out = [from |-> s.next, entries |-> missing \o s.out.entries]]
       ELSE IF ~IsEmpty(s.out) THEN [s EXCEPT !.busy = TRUE]
       ELSE [s EXCEPT !.busy = TRUE, !.out = s.buffer, !.buffer = Empty]

Proceeds(s, lg) ==
    IF ~IsEmpty(s.out) \/ ~IsEmpty(s.buffer) THEN Sending(s, lg)
    ELSE LET d == Drained(s, TRUE) IN
         IF d.mode = "ended" \/ IsEmpty(d.buffer) THEN d ELSE Sending(d, lg)

\* A task that is behind what is committed reads that from the log, unless there is a snapshot instead; else it waits for new entries. With a
\* snapshot it says a last time that nothing is new.
Lags(s, lg) ==
    LET bare == [s EXCEPT !.out = Empty, !.buffer = Empty, !.mode = "line"] IN
    IF Threshold > 0 /\ s.commit >= s.match.index + Threshold THEN Snapshots(s)
    ELSE IF s.next > s.commit THEN Proceeds(bare, lg)
    ELSE IF HasPointer(lg, s.next, s.commit) THEN [bare EXCEPT !.busy = TRUE, !.mode = "last"]
    ELSE [bare EXCEPT !.busy = TRUE, !.mode = "lag", !.out = [from |-> s.next, entries |-> Read(lg, s.next, s.commit)]]

\* A call has ended without an answer, or with one that says that all is well.
Went(s, isAnswered, lg) ==
    LET free == [s EXCEPT !.busy = FALSE]
        m == [index |-> Upto(s.out), term |-> s.out.entries[Len(s.out.entries)].term]
        done == IF ~isAnswered \/ IsEmpty(s.out) THEN free
                ELSE [free EXCEPT !.out = Empty, !.next = m.index + 1, !.match = m, !.learnt = m]
    IN IF s.mode = "first" THEN Lags(done, lg)
       ELSE IF s.mode = "last" THEN Snapshots([Drained(done, FALSE) EXCEPT !.mode = s.mode])
       ELSE IF s.mode = "lag" /\ done.next <= done.commit /\ isAnswered THEN Proceeds([Drained(done, TRUE) EXCEPT !.mode = IF @ = "ended" THEN @ ELSE "line"], lg)
       ELSE Proceeds([done EXCEPT !.mode = "line"], lg)

\* A call has ended with a refusal. The task takes the index in it for one that matches. If that entry is gone, or far back, it wants a snapshot.
Conflicted(s, c, lg) ==
    LET bare == [s EXCEPT !.busy = FALSE, !.out = Empty, !.mode = "line"]
        m == [index |-> c.index, term |-> IF IsThere(lg, c.index) THEN lg[c.index].term ELSE c.term]
        back == [bare EXCEPT !.next = c.index + 1, !.match = m, !.learnt = m]
        wants == c.index > 0 /\ (~IsThere(lg, c.index) \/ (Threshold > 0 /\ s.seen >= c.index + Threshold))
    IN IF c.index > s.seen THEN Proceeds(bare, lg)
       ELSE IF s.mode = "lag" /\ back.next <= back.commit
       THEN LET d == Drained(back, FALSE) IN IF wants THEN Snapshots(d) ELSE Lags(d, lg)
       ELSE IF wants /\ s.mode # "lag" THEN Snapshots(back)
       ELSE Lags(back, lg)

\* A part of a snapshot has arrived. What the task is told of entries in the meantime is lost. After the second part, it goes on from there.
Arrived(s, lg) ==
    IF s.part = 1 THEN [Drained(s, FALSE) EXCEPT !.mode = "snapshot", !.part = 2]
    ELSE Lags([s EXCEPT !.busy = FALSE, !.part = 0, !.snap = NoSnapshot], lg)

\* The first part of a snapshot.
Shipping(s, snap) == [s EXCEPT !.mode = "snapshot", !.busy = TRUE, !.part = 1, !.snap = snap, !.next = snap.index + 1, !.match = [index |-> snap.index, term |-> snap.term]]

AppendOf(i, j, t, s) ==
    [type |-> "append", from |-> i, to |-> j, era |-> s.era, term |-> t, prevIndex |-> s.match.index, prevTerm |-> s.match.term,
     at |-> IF IsEmpty(s.out) THEN 0 ELSE s.out.from, entries |-> s.out.entries, commit |-> s.commit]

\* A task sends one snapshot to its end, also if there is a newer one.
PartOf(i, j, t, s, snap) ==
    [type |-> "snapshot", from |-> i, to |-> j, era |-> s.era, term |-> t, index |-> snap.index, lastTerm |-> snap.term,
     machine |-> IF s.part = 1 THEN snap.machine ELSE <<>>, first |-> s.part = 1, done |-> s.part = 2]

\* The task after it has done something, with the number of the call that it may have begun, and the message of that call.
Numbered(s, e) == IF s.busy THEN [s EXCEPT !.era = e] ELSE s
Sent(i, j, t, s, e) ==
    IF ~s.busy THEN {} ELSE IF s.mode = "snapshot" THEN {PartOf(i, j, t, Numbered(s, e), s.snap)} ELSE {AppendOf(i, j, t, Numbered(s, e))}

Terminated(i) == IF streams[i] = Nil THEN streams
                 ELSE [streams EXCEPT ![i].to = [j \in DOMAIN @ |->
                          LET s == streams[i].to[j] IN
                          IF s.mode = "ended" THEN s
                          ELSE IF s.busy THEN [s EXCEPT !.ends = TRUE] ELSE [s EXCEPT !.mode = "ended"]]]

-----------------------------------------------------------------------------
(* Elections *)

\* Node i no longer leads, or stands. These are its members then.
StepDown(i, voters) ==
    /\ role' = [role EXCEPT ![i] = IF i \in All(voters) THEN "Follower" ELSE "NonVoter"]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ streams' = IF role[i] = "Leader" THEN Terminated(i) ELSE streams
    /\ match' = [match EXCEPT ![i] = <<>>]

Timeout(i) ==
    /\ i \in Candidates
    /\ role[i] \in {"Follower", "Candidate"}
    /\ term[i] < MaxTerm
    /\ term' = [term EXCEPT ![i] = @ + 1]
    /\ vote' = [vote EXCEPT ![i] = i]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ votes' = [votes EXCEPT ![i] = {i}]
    /\ cache' = [cache EXCEPT ![i] = <<>>]
    /\ messages' = messages \union
           {[type |-> "vote", from |-> i, to |-> j, term |-> term[i] + 1, lastIndex |-> last[i].index, lastTerm |-> last[i].term] : j \in Others(i)}
    /\ UNCHANGED <<log, last, commit, applied, machine, begun, leading, compaction, changing, era, counters>>

LeaseEnds(i) ==
    /\ lease[i]
    /\ lapses < MaxLapses
    /\ lapses' = lapses + 1
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ UNCHANGED <<term, vote, log, last, role, leader, votes, commit, applied, machine, follower, leading, compaction, changing, era, messages, requests, heartbeats, giveUps, restarts, changes>>

\* A log has to be as good in both its term and its index, which is more than Raft asks for.
HandleVote(m) ==
    LET i == m.to
        isOld == m.term < term[i] \/ lease[i]
        isNew == ~isOld /\ m.term > term[i]
        upToDate == m.lastTerm >= last[i].term /\ m.lastIndex >= last[i].index
        before == IF isNew THEN Nil ELSE vote[i]
        grants == ~isOld /\ upToDate /\ before \in {Nil, m.from}
        gives == grants /\ before = Nil
    IN
    /\ m \in Under("vote")
    /\ role[i] # "Down"
    /\ term' = IF isNew THEN [term EXCEPT ![i] = m.term] ELSE term
    /\ vote' = [vote EXCEPT ![i] = IF grants THEN m.from ELSE before]
    /\ IF isNew \/ gives THEN StepDown(i, members[i]) ELSE UNCHANGED <<role, votes, streams, match>>
    /\ messages' = (messages \ {m}) \union
           {[type |-> "voteAnswer", from |-> i, to |-> m.from, asked |-> m.term, term |-> term'[i], granted |-> grants]}
    /\ UNCHANGED <<log, last, leader, lease, commit, applied, machine, follower, waiting, compaction, changing, era, counters>>

\* Others are taken to have the log of the new leader, and with its term. A change of members that it does not know to be committed goes on.
Lead(i, m) ==
    LET entry == Entry(term[i], IF last[i].index = 0 THEN "members" ELSE "blank")
        index == last[i].index + 1
        first == Fresh(last[i], commit[i], era[i])
        isPending == MaxChanges > 0 /\ \E k \in (commit[i] + 1)..last[i].index : log[i][k].value = "members"
        isJoint == Len(MembersUpTo(log[i], last[i].index)) = 2
    IN
    /\ joint' = [joint EXCEPT ![i] = IF isPending /\ isJoint THEN index ELSE 0]
    /\ uniform' = [uniform EXCEPT ![i] = IF isPending /\ ~isJoint THEN {index} ELSE {}]
    /\ leaving' = [leaving EXCEPT ![i] = FALSE]
    /\ removing' = [removing EXCEPT ![i] = [j \in Others(i) |-> 0]]
    /\ members' = members
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ leader' = [leader EXCEPT ![i] = i]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ cache' = [cache EXCEPT ![i] = <<>>]
    /\ log' = [log EXCEPT ![i] = Written(@, last[i].index, <<entry>>)]
    /\ last' = [last EXCEPT ![i] = [index |-> index, term |-> term[i]]]
    /\ match' = [match EXCEPT ![i] = [j \in Others(i) |-> [index |-> last[i].index, term |-> term[i]]]]
    /\ waiting' = [waiting EXCEPT ![i] = index]
    /\ streams' = [streams EXCEPT ![i] = [term |-> term[i], to |-> [j \in Others(i) |-> Queued(first, index, entry, commit[i])]]]
    /\ messages' = (messages \ {m}) \union {AppendOf(i, j, term[i], first) : j \in Others(i)}
    /\ UNCHANGED <<term, vote, commit, applied, machine, begun>>

HandleVoteAnswer(m) ==
    LET i == m.to
        counts == role[i] = "Candidate" /\ m.asked = term[i]
        now == IF m.granted THEN votes[i] \union {m.from} ELSE votes[i]
        \* A candidate counts itself in both sets, also if it is in neither.
        wins == counts /\ m.term <= term[i] /\ m.granted
                /\ \A k \in DOMAIN members[i] : 2 * Cardinality((now \intersect members[i][k]) \union {i}) > Cardinality(members[i][k])
    IN
    /\ m \in Under("voteAnswer")
    /\ role[i] # "Down"
    /\ \/ wins /\ Lead(i, m)
       \/ /\ ~wins
          /\ messages' = messages \ {m}
          /\ IF counts /\ m.term > term[i]
             THEN /\ term' = [term EXCEPT ![i] = m.term]
                  /\ vote' = [vote EXCEPT ![i] = Nil]
                  /\ leader' = [leader EXCEPT ![i] = Nil]
                  /\ cache' = [cache EXCEPT ![i] = <<>>]
                  /\ StepDown(i, members[i])
             ELSE /\ votes' = IF counts THEN [votes EXCEPT ![i] = now] ELSE votes
                  /\ UNCHANGED <<term, vote, leader, cache, role, streams, match>>
          /\ UNCHANGED <<log, last, lease, commit, applied, machine, begun, waiting, changing>>
    /\ UNCHANGED <<compaction, era, counters>>

-----------------------------------------------------------------------------
(* Replication *)

\* A leader gives a task its snapshot if not too many entries have followed. Else the task asks again at once, and again.
Given(i, s, snap, end) ==
    IF s.mode # "wait" THEN s
    ELSE IF snap.index > 0 /\ end - snap.index <= Threshold \div 2 THEN Shipping(s, snap)
    ELSE s
Spins(told) == \E j \in DOMAIN told : told[j].mode = "wait"

\* A leader tells the tasks of those that it still sends to of a new entry.
Replicated(i, tasks, nodes, index, entry, c, lg) ==
    [j \in DOMAIN tasks |->
        LET s == tasks[j] IN
        IF j \notin nodes \/ s.mode = "ended" THEN s
        ELSE IF s.busy THEN Queued(s, index, entry, c)
        ELSE Given(i, Proceeds(Queued(s, index, entry, c), lg), snapshot[i], index)]
Begins(told, tasks) == {j \in DOMAIN told : told[j].busy /\ ~tasks[j].busy}

ClientRequest(i) ==
    LET entry == Entry(term[i], ToString(requests + 1))
        index == last[i].index + 1
        lg == Written(log[i], last[i].index, <<entry>>)
        told == Replicated(i, streams[i].to, DOMAIN match[i], index, entry, commit[i], lg)
        begins == Begins(told, streams[i].to)
    IN
    /\ i \notin broken
    /\ role[i] = "Leader"
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ log' = [log EXCEPT ![i] = lg]
    /\ last' = [last EXCEPT ![i].index = index]
    /\ streams' = [streams EXCEPT ![i].to = [j \in DOMAIN told |-> IF j \in begins THEN Numbered(told[j], era[i]) ELSE told[j]]]
    /\ messages' = messages \union UNION {Sent(i, j, term[i], told[j], era[i]) : j \in begins}
    /\ broken' = IF Spins(told) THEN broken \union {i} ELSE broken
    /\ UNCHANGED <<term, vote, role, leader, lease, votes, commit, applied, machine, follower, match, waiting, snapshot, covered, receiving, changing,
                   era, heartbeats, lapses, giveUps, restarts, changes>>

\* Both sets of nodes need a majority from now on. A leader that removes itself is no longer counted.
ChangeMembers(i, goal) ==
    LET voters == <<members[i][1], goal>>
        entry == Configuration(term[i], voters)
        index == last[i].index + 1
        lg == Written(log[i], last[i].index, <<entry>>)
        told == Replicated(i, streams[i].to, DOMAIN match[i], index, entry, commit[i], lg)
        begins == Begins(told, streams[i].to)
    IN
    /\ i \notin broken
    /\ role[i] = "Leader"
    /\ changes < MaxChanges
    /\ Len(members[i]) = 1
    /\ goal \subseteq members[i][1]
    /\ goal # members[i][1]
    /\ changes' = changes + 1
    /\ members' = [members EXCEPT ![i] = voters]
    /\ joint' = [joint EXCEPT ![i] = index]
    /\ leaving' = IF i \in goal THEN leaving ELSE [leaving EXCEPT ![i] = TRUE]
    /\ log' = [log EXCEPT ![i] = lg]
    /\ last' = [last EXCEPT ![i].index = index]
    /\ streams' = [streams EXCEPT ![i].to = [j \in DOMAIN told |-> IF j \in begins THEN Numbered(told[j], era[i]) ELSE told[j]]]
    /\ messages' = messages \union UNION {Sent(i, j, term[i], told[j], era[i]) : j \in begins}
    /\ broken' = IF Spins(told) THEN broken \union {i} ELSE broken
    /\ UNCHANGED <<term, vote, role, leader, lease, votes, commit, applied, machine, follower, match, waiting, snapshot, covered, receiving, uniform,
                   removing, era, requests, heartbeats, lapses, giveUps, restarts>>

\* A heartbeat is an append without entries: this is how followers learn of the commit index.
Heartbeat(i, j) ==
    /\ role[i] = "Leader"
    /\ j \in DOMAIN streams[i].to
    /\ heartbeats < MaxHeartbeats
    /\ heartbeats' = heartbeats + 1
    /\ LET s == streams[i].to[j] IN
       /\ s.mode = "line" /\ ~s.busy
       /\ streams' = [streams EXCEPT ![i].to[j] = [@ EXCEPT !.busy = TRUE, !.era = era[i]]]
       /\ messages' = messages \union {AppendOf(i, j, term[i], [s EXCEPT !.era = era[i]])}
    /\ UNCHANGED <<term, vote, log, last, role, leader, lease, votes, commit, applied, machine, follower, match, waiting, compaction, changing, era, requests, lapses, giveUps, restarts, changes>>

(* A follower tells its state machine of entries up to the commit index: at the first append those of its log, whatever they are; later those *)
(* that its leader has sent since it was first heard of.                                                                                      *)
Apply(i, known, entries, from, lg, l, c) ==
    LET all == [k \in DOMAIN known \union (from + 1)..(from + Len(entries)) |->
                   IF k > from /\ k <= from + Len(entries) THEN entries[k - from] ELSE known[k]]
        due == {k \in DOMAIN all : k <= c}
        top == CHOOSE k \in due : \A n \in due : n <= k
        stop == Min(c, l.index)
        RECURSIVE Texts(_)
        Texts(ks) == IF ks = {} THEN <<>>
                     ELSE LET k == CHOOSE k \in ks : \A n \in ks : k <= n IN
                          (IF IsRequest(all[k]) THEN <<[index |-> k, value |-> all[k].value]>> ELSE <<>>) \o Texts(ks \ {k})
        firstly == machine[i] \o Told(lg, applied[i] + 1, stop)
        newly == machine[i] \o Texts(due)
    IN
    IF ~begun[i]
    THEN /\ begun' = [begun EXCEPT ![i] = TRUE]
         /\ cache' = [cache EXCEPT ![i] = all]
         /\ applied' = [applied EXCEPT ![i] = Max(@, stop)]
         /\ machine' = [machine EXCEPT ![i] = firstly]
         /\ Compacts(i, Max(applied[i], stop), firstly, lg)
    ELSE IF c <= applied[i] \/ due = {}
    THEN /\ cache' = [cache EXCEPT ![i] = all]
         /\ log' = [log EXCEPT ![i] = lg]
         /\ UNCHANGED <<begun, applied, machine, snapshot, covered>>
    ELSE /\ cache' = [cache EXCEPT ![i] = [k \in DOMAIN all \ due |-> all[k]]]
         /\ applied' = [applied EXCEPT ![i] = top]
         /\ machine' = [machine EXCEPT ![i] = newly]
         /\ IF Texts(due) = <<>> THEN log' = [log EXCEPT ![i] = lg] /\ UNCHANGED <<snapshot, covered>> ELSE Compacts(i, top, newly, lg)
         /\ UNCHANGED begun

\* The commit index is taken over before anything is looked at.
HandleAppend(m) ==
    LET i == m.to
        isNew == m.term > term[i]
        others == leader[i] # m.from
        known == IF others THEN <<>> ELSE cache[i]
        direct == m.prevIndex = 0 \/ (m.prevIndex = last[i].index /\ m.prevTerm = last[i].term)
        isThere == IsThere(log[i], m.prevIndex)
        agrees == isThere /\ log[i][m.prevIndex].term = m.prevTerm
        cut == IF direct \/ last[i].index <= m.prevIndex THEN log[i] ELSE SubSeq(log[i], 1, m.prevIndex)
        lg == Written(cut, m.at - 1, m.entries)
        l == [index |-> m.at + Len(m.entries) - 1, term |-> m.entries[Len(m.entries)].term]
        older == {k \in 1..(m.prevIndex - 1) : log[i][k].term = m.prevTerm}
        given == {k \in 1..Len(m.entries) : m.entries[k].value = "members"}
        known0 == IF ~direct /\ agrees /\ last[i].index > m.prevIndex THEN MembersUpTo(log[i], m.prevIndex) ELSE members[i]
        voters == IF given = {} THEN known0 ELSE m.entries[CHOOSE k \in given : \A n \in given : n <= k].voters
        takes == m.term >= term[i] /\ m.entries # <<>> /\ (direct \/ agrees)
        conflict == IF isThere /\ older # {}
                    THEN LET k == CHOOSE k \in older : \A n \in older : k <= n IN [index |-> k, term |-> m.prevTerm]
                    ELSE last[i]
        answer == [type |-> "appendAnswer", from |-> i, to |-> m.from, era |-> m.era, asked |-> m.term, term |-> term'[i], success |-> TRUE, conflict |-> Nil]
    IN
    /\ m \in Under("append")
    /\ role[i] # "Down"
    /\ members' = IF MaxChanges > 0 /\ takes THEN [members EXCEPT ![i] = voters] ELSE members
    /\ IF m.term < term[i]
       THEN /\ UNCHANGED <<term, vote, log, last, role, leader, lease, votes, commit, applied, machine, follower, match, streams, snapshot, covered>>
            /\ messages' = (messages \ {m}) \union {[answer EXCEPT !.success = FALSE]}
       ELSE /\ term' = [term EXCEPT ![i] = m.term]
            /\ vote' = IF isNew THEN [vote EXCEPT ![i] = Nil] ELSE vote
            /\ lease' = [lease EXCEPT ![i] = TRUE]
            /\ commit' = [commit EXCEPT ![i] = m.commit]
            /\ leader' = [leader EXCEPT ![i] = m.from]
            /\ IF role[i] # "Follower" \/ i \notin All(members'[i]) THEN StepDown(i, members'[i]) ELSE UNCHANGED <<role, votes, streams, match>>
            /\ IF m.entries = <<>>
               THEN /\ Apply(i, known, <<>>, 0, log[i], last[i], m.commit)
                    /\ messages' = (messages \ {m}) \union {answer}
                    /\ UNCHANGED last
               ELSE IF direct \/ agrees
               THEN /\ last' = [last EXCEPT ![i] = l]
                    /\ Apply(i, known, m.entries, m.at - 1, lg, l, m.commit)
                    /\ messages' = (messages \ {m}) \union {answer}
               ELSE /\ cache' = [cache EXCEPT ![i] = known]
                    /\ messages' = (messages \ {m}) \union {[answer EXCEPT !.success = FALSE, !.conflict = conflict]}
                    /\ UNCHANGED <<log, last, applied, machine, begun, snapshot, covered>>
    /\ UNCHANGED <<waiting, receiving, broken, joint, uniform, leaving, removing, era, counters>>

\* The one in the middle, by index; of equal ones those of others come first. Of nobody there is none.
Middle(i, known, group, isIn) ==
    LET nodes == (group \intersect DOMAIN known) \union (IF isIn THEN {i} ELSE {})
        all == [j \in nodes |-> IF j = i THEN last[i] ELSE known[j]]
        place(j) == IF j = i THEN 9 ELSE Rank(j)
        before(j, k) == all[j].index < all[k].index \/ (all[j].index = all[k].index /\ place(j) < place(k))
    IN IF nodes = {} THEN [index |-> 0, term |-> 0]
       ELSE all[CHOOSE j \in nodes : Cardinality({k \in nodes : before(k, j)}) = (Cardinality(nodes) + 1) \div 2 - 1]

\* What leader i may commit. In the new set of nodes, it does not count itself, whether it is there or not.
Agree(i, known) ==
    LET good(middle) == IF middle.index > commit[i] /\ middle.term = term[i] THEN middle.index ELSE commit[i]
        old == good(Middle(i, known, members[i][1], ~leaving[i]))
        new == IF Len(members[i]) = 1 THEN old ELSE good(Middle(i, known, members[i][2], FALSE))
    IN IF old > commit[i] /\ new > commit[i] THEN Min(old, new) ELSE commit[i]

(* A call of node i to j has ended, and the task goes on as `s`. If it has learnt how far the logs match, the leader hears of that, and may    *)
(* commit. If that commits a change of members, the change goes on.                                                                             *)
Hears(i, j, went, e, rest) ==
    LET leads == role[i] = "Leader" /\ streams[i].term = term[i]
        learns == leads /\ went.learnt # Nil /\ j \in DOMAIN match[i]
        new == [match[i] EXCEPT ![j] = went.learnt]
        isRemoved == learns /\ removing[i][j] > 0 /\ went.learnt.index >= removing[i][j]
        known == IF ~learns THEN match[i] ELSE IF isRemoved THEN [n \in DOMAIN new \ {j} |-> new[n]] ELSE new
        c == IF learns THEN Agree(i, known) ELSE commit[i]
        commits == c > commit[i]
        applies == commits /\ waiting[i] <= c
        low == IF IsRequest(log[i][waiting[i]]) THEN applied[i] + 1 ELSE waiting[i] + 1
        upto == IF applies THEN c ELSE applied[i]
        machineThen == IF applies THEN machine[i] \o Told(log[i], low, c) ELSE machine[i]
        due == applies /\ IsDue(i, upto, machineThen)
        k == machineThen[Len(machineThen)].index
        snap == IF due THEN [index |-> k, term |-> log[i][k].term, machine |-> machineThen] ELSE snapshot[i]
        old == Given(i, [went EXCEPT !.learnt = Nil], snapshot[i], last[i].index)
        s == IF ~leads /\ went.mode = "wait" THEN [went EXCEPT !.mode = "ended", !.learnt = Nil] ELSE Given(i, old, snap, last[i].index)
        now == [streams[i].to EXCEPT ![j] = Numbered(s, e)]
        told == [n \in DOMAIN now |->
                    IF ~commits \/ n \notin DOMAIN known \/ now[n].mode = "ended" THEN now[n]
                    ELSE IF now[n].busy THEN [now[n] EXCEPT !.told = c] ELSE [now[n] EXCEPT !.told = c, !.commit = c]]
        \* From two sets of nodes to one.
        isSettled == commits /\ joint[i] > 0 /\ joint[i] <= c
        voters == IF isSettled THEN <<members[i][Len(members[i])]>> ELSE members[i]
        entry == Configuration(term[i], voters)
        index == last[i].index + 1
        lg == IF isSettled THEN Written(log[i], last[i].index, <<entry>>) ELSE log[i]
        later == IF isSettled THEN Replicated(i, told, DOMAIN known, index, entry, c, lg) ELSE told
        \* To the end of a change. A task that is told of an entry and of its end at once does not send the entry.
        over == IF commits THEN {n \in uniform[i] : n <= c} ELSE {}
        isOut == over # {} /\ leaving[i]
        at == CHOOSE n \in over : \A o \in over : o <= n
        strange == IF over = {} \/ isOut THEN {} ELSE DOMAIN known \ All(voters)
        gone == {n \in strange : known[n].index >= at} \union (IF isRemoved THEN {j} ELSE {})
        ended == [n \in DOMAIN later |->
                     IF ~isOut /\ n \notin gone THEN later[n]
                     ELSE IF told[n].mode = "ended" THEN told[n]
                     ELSE IF told[n].busy THEN [later[n] EXCEPT !.ends = TRUE] ELSE [told[n] EXCEPT !.mode = "ended"]]
        begins == Begins(ended, told)
        stay == DOMAIN known \ gone
    IN
    /\ match' = IF isOut THEN [match EXCEPT ![i] = <<>>] ELSE IF learns THEN [match EXCEPT ![i] = [n \in stay |-> known[n]]] ELSE match
    /\ role' = IF isOut THEN [role EXCEPT ![i] = "NonVoter"] ELSE role
    /\ leader' = IF isOut THEN [leader EXCEPT ![i] = Nil] ELSE leader
    /\ cache' = IF isOut THEN [cache EXCEPT ![i] = <<>>] ELSE cache
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ applied' = [applied EXCEPT ![i] = upto]
    /\ machine' = [machine EXCEPT ![i] = machineThen]
    /\ waiting' = IF applies THEN [waiting EXCEPT ![i] = c + 1] ELSE waiting
    /\ members' = [members EXCEPT ![i] = voters]
    /\ joint' = IF isSettled THEN [joint EXCEPT ![i] = 0] ELSE joint
    /\ uniform' = [uniform EXCEPT ![i] = (@ \ over) \union (IF isSettled THEN {index} ELSE {})]
    /\ removing' = IF learns THEN [removing EXCEPT ![i] = [n \in stay |-> IF n \in strange THEN at ELSE @[n]]] ELSE removing
    /\ snapshot' = [snapshot EXCEPT ![i] = snap]
    /\ covered' = IF due THEN [covered EXCEPT ![i] = k] ELSE covered
    /\ log' = [log EXCEPT ![i] = IF due THEN Compacted(lg, k) ELSE lg]
    /\ last' = IF isSettled THEN [last EXCEPT ![i].index = index] ELSE last
    /\ streams' = [streams EXCEPT ![i].to = [n \in DOMAIN ended |-> IF n \in begins THEN Numbered(ended[n], e) ELSE ended[n]]]
    /\ broken' = IF s.mode = "wait" \/ Spins(later) THEN broken \union {i} ELSE broken
    /\ messages' = rest \union Sent(i, j, streams[i].term, s, e) \union UNION {Sent(i, n, streams[i].term, later[n], e) : n \in begins}
    /\ UNCHANGED leaving

Awaited(m) ==
    LET i == m.to IN
    /\ streams[i] # Nil
    /\ streams[i].term = m.asked
    /\ m.from \in DOMAIN streams[i].to
    /\ LET s == streams[i].to[m.from] IN s.busy /\ s.era = m.era /\ (s.mode = "snapshot" <=> m.type = "snapshotAnswer")

\* A task hears of a newer term, and ends. A leader steps down.
Reverts(i, m) ==
    LET leads == role[i] = "Leader" /\ term[i] = m.asked IN
    /\ messages' = messages \ {m}
    /\ IF leads /\ m.term > term[i]
       THEN /\ term' = [term EXCEPT ![i] = m.term]
            /\ vote' = [vote EXCEPT ![i] = Nil]
            /\ role' = [role EXCEPT ![i] = IF i \in All(members[i]) THEN "Follower" ELSE "NonVoter"]
            /\ leader' = [leader EXCEPT ![i] = Nil]
            /\ cache' = [cache EXCEPT ![i] = <<>>]
            /\ match' = [match EXCEPT ![i] = <<>>]
            /\ streams' = [Terminated(i) EXCEPT ![i].to[m.from].mode = "ended", ![i].to[m.from].busy = FALSE]
       ELSE /\ streams' = [streams EXCEPT ![i].to[m.from].mode = "ended", ![i].to[m.from].busy = FALSE]
            /\ UNCHANGED <<term, vote, role, leader, cache, match>>
    /\ UNCHANGED <<log, last, votes, commit, applied, machine, waiting, snapshot, covered, broken, changing>>

\* Nobody waits for an answer.
Ignored(m) ==
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<term, vote, log, last, role, leader, votes, commit, applied, machine, cache, leading, snapshot, covered, broken, changing>>

HandleAppendAnswer(m) ==
    LET i == m.to
        s == streams[i].to[m.from]
    IN
    /\ m \in Under("appendAnswer")
    /\ role[i] # "Down"
    /\ i \notin broken
    /\ IF ~Awaited(m) THEN Ignored(m)
       ELSE IF ~m.success /\ m.term > m.asked THEN Reverts(i, m)
       ELSE /\ Hears(i, m.from, IF m.success THEN Went(s, TRUE, log[i]) ELSE IF m.conflict = Nil THEN Went([s EXCEPT !.out = Empty], TRUE, log[i]) ELSE Conflicted(s, m.conflict, log[i]),
                     era[i], messages \ {m})
            /\ UNCHANGED <<term, vote, votes>>
    /\ UNCHANGED <<lease, begun, receiving, era, counters>>

\* A part of a snapshot is sent again at once.
GiveUp(i, j) ==
    /\ i \notin broken
    /\ streams[i] # Nil
    /\ j \in DOMAIN streams[i].to
    /\ streams[i].to[j].busy
    /\ giveUps < MaxGiveUps
    /\ giveUps' = giveUps + 1
    /\ era' = [era EXCEPT ![i] = @ + 1]
    /\ LET s == streams[i].to[j] IN Hears(i, j, IF s.mode = "snapshot" THEN s ELSE Went(s, FALSE, log[i]), era[i] + 1, messages)
    /\ UNCHANGED <<term, vote, lease, votes, begun, receiving, requests, heartbeats, lapses, restarts, changes>>

-----------------------------------------------------------------------------
(* Snapshots for others *)

\* The snapshot takes the place of the log up to its last entry, whatever the node has, and of its state machine. The second part without the
\* first is no snapshot: the node shuts itself down.
HandleSnapshot(m) ==
    LET i == m.to
        isNew == m.term > term[i]
        isLast == m.done /\ m.term >= term[i]
        told == IF m.first THEN m.machine ELSE receiving[i]
        kept == [k \in 1..Max(m.index, IF last[i].index > m.index THEN Len(log[i]) ELSE 0) |->
                    IF k < m.index THEN Gone ELSE IF k = m.index THEN Pointer(m.lastTerm) ELSE log[i][k]]
    IN
    /\ m \in Under("snapshot")
    /\ role[i] # "Down"
    /\ i \notin broken
    /\ IF m.term < term[i]
       THEN UNCHANGED <<term, vote, log, last, role, leader, lease, votes, applied, machine, cache, match, streams, compaction>>
       ELSE /\ term' = [term EXCEPT ![i] = m.term]
            /\ vote' = IF isNew THEN [vote EXCEPT ![i] = Nil] ELSE vote
            /\ lease' = [lease EXCEPT ![i] = TRUE]
            /\ leader' = [leader EXCEPT ![i] = m.from]
            /\ cache' = IF leader[i] # m.from THEN [cache EXCEPT ![i] = <<>>] ELSE cache
            /\ IF role[i] # "Follower" THEN StepDown(i, members[i]) ELSE UNCHANGED <<role, votes, streams, match>>
            /\ IF ~m.done
               THEN /\ receiving' = [receiving EXCEPT ![i] = m.machine]
                    /\ UNCHANGED <<log, last, applied, machine, snapshot, covered, broken>>
               ELSE IF receiving[i] = Nil
               THEN /\ broken' = broken \union {i}
                    /\ UNCHANGED <<log, last, applied, machine, snapshot, covered, receiving>>
               ELSE /\ receiving' = [receiving EXCEPT ![i] = Nil]
                    /\ log' = [log EXCEPT ![i] = kept]
                    /\ last' = [last EXCEPT ![i] = [index |-> m.index, term |-> m.lastTerm]]
                    /\ applied' = [applied EXCEPT ![i] = m.index]
                    /\ machine' = [machine EXCEPT ![i] = told]
                    /\ snapshot' = [snapshot EXCEPT ![i] = [index |-> m.index, term |-> m.lastTerm, machine |-> told]]
                    /\ covered' = [covered EXCEPT ![i] = m.index]
                    /\ UNCHANGED broken
    /\ messages' = (messages \ {m}) \union
           (IF i \in broken' THEN {}
            ELSE {[type |-> "snapshotAnswer", from |-> i, to |-> m.from, era |-> m.era, asked |-> m.term, term |-> term'[i]]})
    /\ UNCHANGED <<commit, begun, waiting, changing, era, counters>>

\* The leader is not told that the snapshot has arrived.
HandleSnapshotAnswer(m) ==
    LET i == m.to IN
    /\ m \in Under("snapshotAnswer")
    /\ role[i] # "Down"
    /\ i \notin broken
    /\ IF ~Awaited(m) THEN Ignored(m)
       ELSE IF m.term > m.asked THEN Reverts(i, m)
       ELSE /\ Hears(i, m.from, Arrived(streams[i].to[m.from], log[i]), era[i], messages \ {m})
            /\ UNCHANGED <<term, vote, votes>>
    /\ UNCHANGED <<lease, begun, receiving, era, counters>>

-----------------------------------------------------------------------------
(* Crashes *)

\* The term, the vote, the log and the snapshot are stored. The state machine begins with the snapshot, and is told everything else again.
Restart(i) ==
    /\ role[i] # "Down"
    /\ restarts < MaxRestarts
    /\ restarts' = restarts + 1
    /\ role' = [role EXCEPT ![i] = "Down"]
    /\ last' = [last EXCEPT ![i] = IF log[i] = <<>> THEN [index |-> 0, term |-> 0] ELSE [index |-> Len(log[i]), term |-> log[i][Len(log[i])].term]]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ lease' = [lease EXCEPT ![i] = FALSE]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ commit' = [commit EXCEPT ![i] = 0]
    /\ applied' = [applied EXCEPT ![i] = snapshot[i].index]
    /\ machine' = [machine EXCEPT ![i] = snapshot[i].machine]
    /\ covered' = [covered EXCEPT ![i] = snapshot[i].index]
    /\ receiving' = [receiving EXCEPT ![i] = Nil]
    /\ begun' = [begun EXCEPT ![i] = FALSE]
    /\ cache' = [cache EXCEPT ![i] = <<>>]
    /\ match' = [match EXCEPT ![i] = <<>>]
    /\ waiting' = [waiting EXCEPT ![i] = 0]
    /\ streams' = [streams EXCEPT ![i] = Nil]
    /\ era' = [era EXCEPT ![i] = @ + 1]
    /\ i \notin broken
    /\ members' = [members EXCEPT ![i] = MembersUpTo(log[i], Len(log[i]))]
    /\ joint' = [joint EXCEPT ![i] = 0]
    /\ uniform' = [uniform EXCEPT ![i] = {}]
    /\ leaving' = [leaving EXCEPT ![i] = FALSE]
    /\ removing' = [removing EXCEPT ![i] = <<>>]
    /\ UNCHANGED <<term, vote, log, snapshot, broken, messages, requests, heartbeats, lapses, giveUps, changes>>

Boot(i) ==
    /\ role[i] = "Down"
    /\ role' = [role EXCEPT ![i] = IF i \in All(members[i]) THEN "Follower" ELSE "NonVoter"]
    /\ UNCHANGED <<term, vote, log, last, leader, lease, votes, commit, applied, machine, follower, leading, compaction, changing, era, messages, counters>>

-----------------------------------------------------------------------------
Init ==
    /\ term = [i \in Server |-> 0]
    /\ vote = [i \in Server |-> Nil]
    /\ log = [i \in Server |-> <<>>]
    /\ last = [i \in Server |-> [index |-> 0, term |-> 0]]
    /\ role = [i \in Server |-> "Follower"]
    /\ leader = [i \in Server |-> Nil]
    /\ lease = [i \in Server |-> FALSE]
    /\ votes = [i \in Server |-> {}]
    /\ commit = [i \in Server |-> 0]
    /\ applied = [i \in Server |-> 0]
    /\ machine = [i \in Server |-> <<>>]
    /\ begun = [i \in Server |-> FALSE]
    /\ cache = [i \in Server |-> <<>>]
    /\ match = [i \in Server |-> <<>>]
    /\ waiting = [i \in Server |-> 0]
    /\ streams = [i \in Server |-> Nil]
    /\ snapshot = [i \in Server |-> NoSnapshot]
    /\ covered = [i \in Server |-> 0]
    /\ receiving = [i \in Server |-> Nil]
    /\ broken = {}
    /\ members = [i \in Server |-> <<Server>>]
    /\ joint = [i \in Server |-> 0]
    /\ uniform = [i \in Server |-> {}]
    /\ leaving = [i \in Server |-> FALSE]
    /\ removing = [i \in Server |-> <<>>]
    /\ changes = 0
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
    \/ \E i \in Server : \E goal \in Goals : ChangeMembers(i, goal)
    \/ \E i, j \in Server : Heartbeat(i, j)
    \/ \E i, j \in Server : GiveUp(i, j)
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

\* For ACTION_CONSTRAINT, too: what breaks a node is shown by scripts.
NothingBreaks == broken' = {}

-----------------------------------------------------------------------------
\* A change of members that has begun goes on, as long as there is a leader.
ChangeGoesOn == \A i \in Server : role[i] = "Leader" /\ Len(members[i]) = 2 => joint[i] > 0

\* It comes to its end where the leader knows that all others of the new members have its log.
ChangeEnds ==
    \A i \in Server : role[i] = "Leader" /\ joint[i] > 0 =>
        \E j \in (members[i][2] \intersect DOMAIN match[i]) \union (members[i][2] \ {i}) : match[i][j].index < joint[i]

OneLeader == \A i, j \in Server : role[i] = "Leader" /\ role[j] = "Leader" /\ term[i] = term[j] => i = j

\* Entries that are the same, as far as no snapshot stands for them.
Same(a, b) == a = b \/ a.value \in {"gone", "snapshot"} \/ b.value \in {"gone", "snapshot"}

NoneBroken == broken = {}

\* Snapshots that go up to the same entry are the same.
SnapshotsAgree == \A i, j \in Server : snapshot[i].index = snapshot[j].index => snapshot[i].machine = snapshot[j].machine

\* What a node has applied and what its log has stay, as long as it is up and does not hear of another log.
Forward == [][\A i \in Server : role[i] # "Down" /\ role'[i] # "Down" => applied'[i] >= applied[i]]_vars

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(last[i].index, last[j].index) :
        log[i][k].term = log[j][k].term => \A n \in 1..k : Same(log[i][n], log[j][n])

\* What a leader takes to be committed is at a majority.
Agreed ==
    \A i \in Server : role[i] = "Leader" =>
        \A k \in 1..commit[i] : Majority({j \in Server : k <= last[j].index /\ Same(log[j][k], log[i][k])})

Applied ==
    \A i, j \in Server : LET both == Min(applied[i], applied[j]) IN
        SelectSeq(machine[i], LAMBDA told : told.index <= both) = SelectSeq(machine[j], LAMBDA told : told.index <= both)
=============================================================================
