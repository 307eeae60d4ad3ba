---------------------------- MODULE HashicorpRaft ----------------------------
(* Raft as github.com/hashicorp/raft 1.1.2 carries it out, at the level of its transport: each request waits for its answer, and at most one  *)
(* append and one heartbeat are under way from a leader to each other node. Lost messages, the leader's lease, pipelines, members without a   *)
(* vote and the transfer of leadership are left out.                                                                                         *)
(*                                                                                                                                           *)
(* An action is a timer that runs out, a request or an answer that is taken in, or a client's request, and all that the goroutines of the      *)
(* library then do until all of them wait. The main goroutine goes first, then those that replicate. A crash may also come in the middle of    *)
(* an action, between two writes to the disk.                                                                                                *)
(*                                                                                                                                           *)
(* Snapshots keep no entries behind them (TrailingLogs = 0). The specification does what the library does then, wrong or not; AcceptsLeader     *)
(* and Committed say what is wrong. See docs/findings/hashicorp-raft.md.                                                                     *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Server,        \* the nodes
    Nil,           \* no node
    Candidates,    \* the nodes whose timer for elections may run out
    MaxTerm,       \* no election beyond this term; the first has term 2
    MaxRequests,   \* how many requests clients make
    MaxHeartbeats, \* how often a leader's timer for heartbeats runs out
    MaxTicks,      \* how often a leader's timer for appends runs out
    MaxRestarts,   \* how often a node crashes and comes up again
    MaxCuts,       \* how often that happens while it stands for election, after some of its writes
    MaxSnapshots,  \* how often a node makes a snapshot of what it has applied, and drops the entries
    MaxChanges,    \* how often a leader is asked to remove a member, or to add it again
    Removable,     \* which members that may be
    MaxInFlight    \* no further than states with more messages under way; for CONSTRAINT

VARIABLES
    term, vote, log,           \* what a node stores; the vote with its term. Entries that a snapshot stands for are Gone
    snapshot,                  \* its latest snapshot, which is stored too
    last,                      \* the last entry that it has written itself, as the library remembers it
    commit,                    \* up to where it knows entries to be committed
    machine, applied,          \* its state machine, and up to where that was told of entries
    members,                   \* the latest members that it has heard of, and the latest that it knows to be committed
    role, leader,              \* what it thinks that it is, and whom it follows
    votes,                     \* who has voted for a candidate
    view,                      \* what a leader knows of the others, and what it has under way to them
    upTo,                      \* the last entry that the append or snapshot under way to a node leads to
    messages,                  \* under way
    requests, heartbeats, ticks, restarts, cuts, snapshots, changes

logs == <<log, snapshot, last, members>>
applies == <<commit, machine, applied>>
counters == <<requests, heartbeats, ticks, restarts, cuts, snapshots, changes>>
vars == <<term, vote, logs, applies, role, leader, votes, view, upTo, messages, counters>>

-----------------------------------------------------------------------------
Others(i) == members[i].latest \ {i}
Majority(nodes, of) == 2 * Cardinality(nodes \intersect of) > Cardinality(of)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
Under(type) == {m \in messages : m.type = type}

(* Entries. A command has a value; a change of the members has them; a leader's first entry has neither. *)
Gone == [term |-> 0, value |-> "gone", servers |-> {}]
Noop(t) == [term |-> t, value |-> "noop", servers |-> {}]
Command(t, v) == [term |-> t, value |-> v, servers |-> {}]
Configuration(t, s) == [term |-> t, value |-> "configuration", servers |-> s]
IsCommand(e) == e.value \notin {"gone", "noop", "configuration"}

Has(i, lg, index) == snapshot[i].index < index /\ index <= Len(lg)

\* The term of an entry that a leader has, or of the last that its snapshot stands for.
TermAt(i, lg, index) == IF index = 0 THEN 0 ELSE IF index = snapshot[i].index THEN snapshot[i].term ELSE lg[index].term

\* What a node takes for the term of its last entry.
LastTerm(i) == IF last[i].index >= snapshot[i].index THEN last[i].term ELSE snapshot[i].term

\* The state machine after the entries from `first` to `end`. The library tells it only of commands.
RECURSIVE Told(_, _, _, _)
Told(known, lg, first, end) ==
    IF first > end THEN known
    ELSE Told(IF IsCommand(lg[first]) THEN [index |-> first, term |-> lg[first].term, values |-> Append(known.values, lg[first].value)] ELSE known,
              lg, first + 1, end)

\* Node i now knows that the entries up to c are committed.
Apply(i, lg, c) ==
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ machine' = IF c > commit[i] THEN [machine EXCEPT ![i] = Told(@, lg, applied[i] + 1, c)] ELSE machine
    /\ applied' = IF c > commit[i] THEN [applied EXCEPT ![i] = Max(@, c)] ELSE applied

\* What a node knows of the members once the entries up to c are committed.
Settled(known, c) == IF known.latestIndex <= c THEN [known EXCEPT !.committed = known.latest, !.committedIndex = known.latestIndex] ELSE known

\* What it knows after the entries from `first` to `end` were added.
RECURSIVE Heard(_, _, _, _)
Heard(known, lg, first, end) ==
    IF first > end THEN known
    ELSE Heard(IF lg[first].value # "configuration" THEN known
               ELSE [latest |-> lg[first].servers, latestIndex |-> first, committed |-> known.latest, committedIndex |-> known.latestIndex],
               lg, first + 1, end)

\* Node i sends entries from `next` on, up to `end`, or its snapshot if it has no longer what it needs for that.
Send(i, j, next, end, lg, c) ==
    IF next <= snapshot[i].index
    THEN [type |-> "snapshot", from |-> i, to |-> j, term |-> term[i], index |-> snapshot[i].index, lastTerm |-> snapshot[i].term,
          values |-> snapshot[i].values, servers |-> snapshot[i].servers, serversIndex |-> snapshot[i].serversIndex]
    ELSE [type |-> "append", from |-> i, to |-> j, term |-> term[i], prevIndex |-> next - 1, prevTerm |-> TermAt(i, lg, next - 1),
          entries |-> SubSeq(lg, next, end), commit |-> c]

-----------------------------------------------------------------------------
(* Elections *)

\* Whoever is no member any more, as far as it knows, does not stand.
MayStand(i) == role[i] = "Candidate" \/ i \in members[i].latest \/ members[i].latestIndex # members[i].committedIndex

Timeout(i) ==
    /\ i \in Candidates
    /\ role[i] # "Leader"
    /\ term[i] < MaxTerm
    /\ IF MayStand(i)
       THEN /\ term' = [term EXCEPT ![i] = @ + 1]
            /\ vote' = IF i \in members[i].latest THEN [vote EXCEPT ![i] = [term |-> term[i] + 1, node |-> i]] ELSE vote
            /\ role' = [role EXCEPT ![i] = "Candidate"]
            /\ votes' = [votes EXCEPT ![i] = {i} \intersect members[i].latest]
            /\ messages' = messages \union
                   {[type |-> "vote", from |-> i, to |-> j, term |-> term[i] + 1, lastIndex |-> Len(log[i]), lastTerm |-> LastTerm(i)] : j \in Others(i)}
       ELSE leader[i] # Nil /\ UNCHANGED <<term, vote, role, votes, messages>>
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ UNCHANGED <<logs, applies, view, upTo, counters>>

\* Whoever follows a leader refuses everybody else, and does not even take over a newer term. A leader follows itself.
HandleVote(m) ==
    LET i == m.to
        follows == leader[i] \notin {Nil, m.from}
        isNew == ~follows /\ m.term > term[i]
        hasVoted == vote[i] # Nil /\ vote[i].term = m.term
        upToDate == m.lastTerm > LastTerm(i) \/ (m.lastTerm = LastTerm(i) /\ m.lastIndex >= Len(log[i]))
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
    /\ UNCHANGED <<logs, applies, view, upTo, counters>>

BecomeLeader(i, m) ==
    LET lg == Append(log[i], Noop(term[i]))
        next == Len(lg)
    IN
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ leader' = [leader EXCEPT ![i] = i]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ log' = [log EXCEPT ![i] = lg]
    /\ last' = [last EXCEPT ![i] = [index |-> Len(lg), term |-> term[i]]]
    /\ view' = [view EXCEPT ![i] =
           [next |-> [j \in Others(i) |-> next], match |-> [j \in members[i].latest |-> IF j = i THEN Len(lg) ELSE 0], start |-> next,
            busy |-> Others(i), pending |-> {}, beating |-> {}]]
    /\ messages' = (messages \ {m}) \union {Send(i, j, next, next, lg, commit[i]) : j \in Others(i)}
    /\ UNCHANGED <<term, vote, snapshot, members, applies>>

\* An answer to an earlier election is for nobody.
HandleVoteAnswer(m) ==
    LET i == m.to
        counts == role[i] = "Candidate" /\ m.asked = term[i]
        now == votes[i] \union (IF m.granted THEN {m.from} ELSE {})
        wins == counts /\ m.term <= term[i] /\ Majority(now, members[i].latest)
    IN
    /\ m \in Under("voteAnswer")
    /\ \/ wins /\ BecomeLeader(i, m)
       \/ /\ ~wins
          /\ messages' = messages \ {m}
          /\ IF counts /\ m.term > term[i]
             THEN /\ term' = [term EXCEPT ![i] = m.term]
                  /\ role' = [role EXCEPT ![i] = "Follower"]
                  /\ leader' = [leader EXCEPT ![i] = Nil]
                  /\ votes' = [votes EXCEPT ![i] = {}]
             ELSE /\ votes' = IF counts THEN [votes EXCEPT ![i] = now] ELSE votes
                  /\ UNCHANGED <<term, role, leader>>
          /\ UNCHANGED <<vote, logs, applies, view>>
    /\ UNCHANGED <<upTo, counters>>

-----------------------------------------------------------------------------
(* Replication *)

\* Up to where a snapshot under way from i to j and what follows it lead: the library keeps that to itself. 0 if there is none.
Leading(i, j, m, end) == [upTo EXCEPT ![i][j] = IF m.type = "snapshot" THEN end ELSE 0]

\* Leader i adds an entry. It goes to all nodes of `to` that nothing is under way to, and later to the others.
Add(i, entry) ==
    /\ log' = [log EXCEPT ![i] = Append(@, entry)]
    /\ last' = [last EXCEPT ![i] = [index |-> Len(log[i]) + 1, term |-> term[i]]]

\* What goes to each node of `to`, with the log and the commit index that leader i has then.
AllSent(i, to, next, lg, c) == {Send(i, j, next[j], Len(lg), lg, c) : j \in to}
AllLeading(i, sent, end) ==
    [upTo EXCEPT ![i] = [j \in Server |-> IF \E m \in sent : m.to = j /\ m.type = "snapshot" THEN end ELSE @[j]]]

ClientRequest(i) ==
    LET entry == Command(term[i], ToString(requests + 1))
        lg == Append(log[i], entry)
        sent == AllSent(i, Others(i) \ view[i].busy, view[i].next, lg, commit[i])
    IN
    /\ role[i] = "Leader"
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ Add(i, entry)
    /\ view' = [view EXCEPT ![i].match[i] = Len(lg), ![i].pending = @ \union (view[i].busy \intersect Others(i)), ![i].busy = @ \union Others(i)]
    /\ messages' = messages \union sent
    /\ upTo' = AllLeading(i, sent, Len(lg))
    /\ UNCHANGED <<term, vote, snapshot, members, applies, role, leader, votes, heartbeats, ticks, restarts, cuts, snapshots, changes>>

\* The leader's timer for appends to j runs out: this is how a follower learns of the commit index.
Replicate(i, j) ==
    LET sent == Send(i, j, view[i].next[j], Len(log[i]), log[i], commit[i]) IN
    /\ role[i] = "Leader"
    /\ ticks < MaxTicks
    /\ j \in Others(i) \ view[i].busy
    /\ ticks' = ticks + 1
    /\ view' = [view EXCEPT ![i].busy = @ \union {j}]
    /\ messages' = messages \union {sent}
    /\ upTo' = Leading(i, j, sent, Len(log[i]))
    /\ UNCHANGED <<term, vote, logs, applies, role, leader, votes, requests, heartbeats, restarts, cuts, snapshots, changes>>

Heartbeat(i, j) ==
    /\ role[i] = "Leader"
    /\ heartbeats < MaxHeartbeats
    /\ j \in Others(i) \ view[i].beating
    /\ heartbeats' = heartbeats + 1
    /\ view' = [view EXCEPT ![i].beating = @ \union {j}]
    /\ messages' = messages \union {[type |-> "heartbeat", from |-> i, to |-> j, term |-> term[i]]}
    /\ UNCHANGED <<term, vote, logs, applies, role, leader, votes, upTo, requests, ticks, restarts, cuts, snapshots, changes>>

\* Which of the entries of an append are the first that the log does not have; what agrees stays, also beyond them.
News(lg, index, entries) == {k \in 1..Len(entries) : index + k > Len(lg) \/ lg[index + k].term # entries[k].term}

\* Node i hears of a leader, if the term is not an older one.
Follow(i, m) ==
    IF m.term < term[i] THEN UNCHANGED <<term, role, leader, votes, view>>
    ELSE /\ term' = [term EXCEPT ![i] = m.term]
         /\ role' = [role EXCEPT ![i] = "Follower"]
         /\ leader' = [leader EXCEPT ![i] = m.from]
         /\ votes' = [votes EXCEPT ![i] = {}]
         /\ view' = [view EXCEPT ![i] = Nil]

\* The entry before those of an append is looked for at the end of the log, and then among the entries. The last one that a snapshot stands
\* for is not among them, so it is found only at the end.
Fits(i, m) ==
    \/ m.prevIndex = 0
    \/ m.prevIndex = Len(log[i]) /\ m.prevTerm = LastTerm(i)
    \/ m.prevIndex # Len(log[i]) /\ Has(i, log[i], m.prevIndex) /\ m.prevTerm = log[i][m.prevIndex].term

\* Node i takes in the entries of an append. The commit index goes up to the end of the log, not only of what was sent.
Take(i, m) ==
    LET news == News(log[i], m.prevIndex, m.entries)
        k == CHOOSE k \in news : \A n \in news : k <= n
        first == m.prevIndex + k
        lg == IF news = {} THEN log[i] ELSE SubSeq(log[i], 1, first - 1) \o SubSeq(m.entries, k, Len(m.entries))
        known == members[i]
        kept == IF first <= Len(log[i]) /\ first <= known.latestIndex
                THEN [known EXCEPT !.latest = known.committed, !.latestIndex = known.committedIndex]
                ELSE known
        heard == IF news = {} THEN known ELSE Heard(kept, lg, first, Len(lg))
        c == Min(m.commit, Len(lg))
    IN
    /\ log' = [log EXCEPT ![i] = lg]
    /\ last' = IF news = {} THEN last ELSE [last EXCEPT ![i] = [index |-> Len(lg), term |-> lg[Len(lg)].term]]
    /\ IF m.commit > commit[i]
       THEN Apply(i, lg, c) /\ members' = [members EXCEPT ![i] = Settled(heard, c)]
       ELSE UNCHANGED applies /\ members' = [members EXCEPT ![i] = heard]

\* The answer has the last index from before the append.
HandleAppend(m) ==
    LET i == m.to
        takes == m.term >= term[i] /\ Fits(i, m)
    IN
    /\ m \in Under("append")
    /\ Follow(i, m)
    /\ IF takes THEN Take(i, m) ELSE UNCHANGED <<log, last, members, applies>>
    /\ messages' = (messages \ {m}) \union
           {[type |-> "appendAnswer", from |-> i, to |-> m.from, asked |-> m.term, last |-> m.prevIndex + Len(m.entries), term |-> term'[i],
             lastLog |-> Len(log[i]), success |-> takes, noBackoff |-> m.term >= term[i] /\ ~takes]}
    /\ upTo' = IF m.term < term[i] THEN upTo ELSE [upTo EXCEPT ![i] = [j \in Server |-> 0]]
    /\ UNCHANGED <<vote, snapshot, counters>>

HandleHeartbeat(m) ==
    LET i == m.to IN
    /\ m \in Under("heartbeat")
    /\ Follow(i, m)
    /\ messages' = (messages \ {m}) \union
           {[type |-> "heartbeatAnswer", from |-> i, to |-> m.from, asked |-> m.term, term |-> term'[i], lastLog |-> Len(log[i]),
             success |-> m.term >= term[i]]}
    /\ upTo' = IF m.term < term[i] THEN upTo ELSE [upTo EXCEPT ![i] = [j \in Server |-> 0]]
    /\ UNCHANGED <<vote, logs, applies, counters>>

\* The largest index that a majority has.
Agreed(match, lg) ==
    CHOOSE k \in 0..Len(lg) :
        /\ Majority({j \in DOMAIN match : match[j] >= k}, DOMAIN match)
        /\ \A n \in (k + 1)..Len(lg) : ~Majority({j \in DOMAIN match : match[j] >= n}, DOMAIN match)

\* The commit index of leader i when the others have what `match` says.
CommitBy(i, match, lg) ==
    LET agreed == Agreed(match, lg) IN IF agreed >= view[i].start THEN Max(commit[i], agreed) ELSE commit[i]

\* Node j has all entries of leader i up to `index`. If that is less than `end`, or if there is more by now, the leader goes on at once.
Reached(i, j, index, isNews, end, m) ==
    LET known == view[i]
        match == IF isNews /\ j \in DOMAIN known.match THEN [known.match EXCEPT ![j] = Max(@, index)] ELSE known.match
        next == IF isNews THEN index + 1 ELSE known.next[j]
        c == CommitBy(i, match, log[i])
        goes == next <= end
        more == ~goes /\ j \in known.pending
        to == IF goes THEN end ELSE Len(log[i])
        sent == Send(i, j, next, to, log[i], c)
    IN
    /\ Apply(i, log[i], c)
    /\ members' = IF c > commit[i] THEN [members EXCEPT ![i] = Settled(@, c)] ELSE members
    /\ view' = [view EXCEPT ![i].next[j] = next, ![i].match = match, ![i].pending = IF more THEN @ \ {j} ELSE @,
                            ![i].busy = IF goes \/ more THEN @ ELSE @ \ {j}]
    /\ messages' = (messages \ {m}) \union (IF goes \/ more THEN {sent} ELSE {})
    /\ upTo' = IF goes \/ more THEN Leading(i, j, sent, to) ELSE [upTo EXCEPT ![i][j] = 0]
    /\ UNCHANGED <<role, leader>>

\* The leader goes back at once, up to the same last entry as before.
Refused(i, m) ==
    LET next == Max(1, Min(view[i].next[m.from] - 1, m.lastLog + 1))
        sent == Send(i, m.from, next, m.last, log[i], commit[i])
    IN
    /\ view' = [view EXCEPT ![i].next[m.from] = next]
    /\ messages' = (messages \ {m}) \union {sent}
    /\ upTo' = Leading(i, m.from, sent, m.last)
    /\ UNCHANGED <<members, applies, role, leader>>

\* The leader steps down, and stays in its term.
SteppedDown(i, m) ==
    /\ role' = [role EXCEPT ![i] = "Follower"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ view' = [view EXCEPT ![i] = Nil]
    /\ upTo' = [upTo EXCEPT ![i] = [j \in Server |-> 0]]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<members, applies>>

Leads(i, m) == role[i] = "Leader" /\ m.asked = term[i]

\* Nobody waits for this answer, or only what is left of the replication to a node that is no member any more.
Ignored(i, m) ==
    /\ messages' = messages \ {m}
    /\ view' = IF Leads(i, m) THEN [view EXCEPT ![i].busy = @ \ {m.from}] ELSE view
    /\ UNCHANGED <<members, applies, role, leader, upTo>>

HandleAppendAnswer(m) ==
    LET i == m.to IN
    /\ m \in Under("appendAnswer")
    /\ IF Leads(i, m) /\ m.term > m.asked THEN SteppedDown(i, m)
       ELSE IF ~Leads(i, m) \/ m.from \notin Others(i) THEN Ignored(i, m)
       ELSE IF m.success THEN Reached(i, m.from, m.last, m.last >= view[i].next[m.from], m.last, m)
       ELSE Refused(i, m)
    /\ UNCHANGED <<term, vote, log, snapshot, last, votes, counters>>

\* The term of an answer to a heartbeat is not looked at.
HandleHeartbeatAnswer(m) ==
    LET i == m.to IN
    /\ m \in Under("heartbeatAnswer")
    /\ view' = IF Leads(i, m) THEN [view EXCEPT ![i].beating = @ \ {m.from}] ELSE view
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<term, vote, logs, applies, role, leader, votes, upTo, counters>>

-----------------------------------------------------------------------------
(* Snapshots *)

\* The log of node i without the entries that a snapshot up to `index` stands for.
Cut(i, index) == [k \in 1..Max(index, Len(log[i])) |-> IF k <= index THEN Gone ELSE log[i][k]]

\* Node i makes a snapshot of its state machine. The entries after the last command stay.
TakeSnapshot(i) ==
    /\ snapshots < MaxSnapshots
    /\ machine[i].index > snapshot[i].index
    /\ machine[i].index >= members[i].committedIndex
    /\ snapshots' = snapshots + 1
    /\ snapshot' = [snapshot EXCEPT ![i] = [index |-> machine[i].index, term |-> machine[i].term, values |-> machine[i].values,
                                            servers |-> members[i].committed, serversIndex |-> members[i].committedIndex]]
    /\ log' = [log EXCEPT ![i] = Cut(i, machine[i].index)]
    /\ UNCHANGED <<term, vote, last, members, applies, role, leader, votes, view, upTo, messages, requests, heartbeats, ticks, restarts, cuts, changes>>

\* The snapshot is not compared with the log: entries after its last one stay, whatever they are, and so does what the node remembers of its own
\* last entry. The commit index stays, too. A candidate of the same term stays one.
HandleSnapshot(m) ==
    LET i == m.to
        takes == m.term >= term[i]
        isNew == m.term > term[i]
    IN
    /\ m \in Under("snapshot")
    /\ term' = IF isNew THEN [term EXCEPT ![i] = m.term] ELSE term
    /\ role' = IF isNew THEN [role EXCEPT ![i] = "Follower"] ELSE role
    /\ votes' = IF isNew THEN [votes EXCEPT ![i] = {}] ELSE votes
    /\ view' = IF isNew THEN [view EXCEPT ![i] = Nil] ELSE view
    /\ upTo' = IF isNew THEN [upTo EXCEPT ![i] = [j \in Server |-> 0]] ELSE upTo
    /\ IF takes
       THEN /\ leader' = [leader EXCEPT ![i] = m.from]
            /\ snapshot' = [snapshot EXCEPT ![i] = [index |-> m.index, term |-> m.lastTerm, values |-> m.values,
                                                    servers |-> m.servers, serversIndex |-> m.serversIndex]]
            /\ log' = [log EXCEPT ![i] = Cut(i, m.index)]
            /\ machine' = [machine EXCEPT ![i] = [index |-> m.index, term |-> m.lastTerm, values |-> m.values]]
            /\ applied' = [applied EXCEPT ![i] = m.index]
            /\ members' = [members EXCEPT ![i] = [latest |-> m.servers, latestIndex |-> m.serversIndex,
                                                  committed |-> m.servers, committedIndex |-> m.serversIndex]]
       ELSE UNCHANGED <<leader, snapshot, log, machine, applied, members>>
    /\ messages' = (messages \ {m}) \union
           {[type |-> "snapshotAnswer", from |-> i, to |-> m.from, asked |-> m.term, term |-> term'[i], index |-> m.index, success |-> takes]}
    /\ UNCHANGED <<vote, last, commit, counters>>

HandleSnapshotAnswer(m) ==
    LET i == m.to IN
    /\ m \in Under("snapshotAnswer")
    /\ IF Leads(i, m) /\ m.term > m.asked THEN SteppedDown(i, m)
       ELSE IF ~Leads(i, m) \/ m.from \notin Others(i) THEN Ignored(i, m)
       ELSE Reached(i, m.from, m.index, TRUE, upTo[i][m.from], m)
    /\ UNCHANGED <<term, vote, log, snapshot, last, votes, counters>>

-----------------------------------------------------------------------------
(* Members *)

\* The library takes a change when the last one is committed, and an entry of the leader's own term. A node that is removed gets the entry if
\* nothing is under way to it, and else never. One that is added gets an append without entries first.
ChangeMember(i, j) ==
    LET known == members[i]
        now == IF j \in known.latest THEN known.latest \ {j} ELSE known.latest \union {j}
        entry == Configuration(term[i], now)
        lg == Append(log[i], entry)
        old == view[i]
        match == [n \in now |-> IF n = i THEN Len(lg) ELSE IF n \in known.latest THEN old.match[n] ELSE 0]
        next == [n \in now \ {i} |-> IF n \in known.latest THEN old.next[n] ELSE Len(lg) + 1]
        c == CommitBy(i, match, lg)
        told == Others(i) \union (now \ {i})
        sent == {Send(i, n, IF n \in DOMAIN next THEN next[n] ELSE old.next[n], Len(lg), lg, c) : n \in told \ old.busy}
    IN
    /\ role[i] = "Leader"
    /\ changes < MaxChanges
    /\ j \in Removable \ {i}
    /\ known.latestIndex = known.committedIndex
    /\ commit[i] >= old.start
    /\ IF j \in known.latest THEN Cardinality(known.latest) > 2 ELSE j \notin old.busy \union old.beating
    /\ changes' = changes + 1
    /\ Add(i, entry)
    /\ Apply(i, lg, c)
    /\ members' = [members EXCEPT ![i] = Settled([known EXCEPT !.latest = now, !.latestIndex = Len(lg)], c)]
    /\ view' = [view EXCEPT ![i].next = next, ![i].match = match, ![i].pending = (@ \union old.busy) \intersect (now \ {i}),
                            ![i].busy = @ \union told]
    /\ messages' = messages \union sent
    /\ upTo' = AllLeading(i, sent, Len(lg))
    /\ UNCHANGED <<term, vote, snapshot, role, leader, votes, requests, heartbeats, ticks, restarts, cuts, snapshots>>

-----------------------------------------------------------------------------
(* Crashes *)

NoMembers == [latest |-> {}, latestIndex |-> 0, committed |-> {}, committedIndex |-> 0]

\* Node i comes up again with what it has stored. Messages under way stay; nobody waits for the answers any more.
ComeUp(i) ==
    LET s == snapshot[i]
        lg == log[i]
        known == IF s.index = 0 THEN NoMembers
                 ELSE [latest |-> s.servers, latestIndex |-> s.serversIndex, committed |-> s.servers, committedIndex |-> s.serversIndex]
    IN
    /\ last' = [last EXCEPT ![i] = IF Len(lg) > s.index THEN [index |-> Len(lg), term |-> lg[Len(lg)].term] ELSE [index |-> 0, term |-> 0]]
    /\ commit' = [commit EXCEPT ![i] = 0]
    /\ machine' = [machine EXCEPT ![i] = [index |-> s.index, term |-> s.term, values |-> s.values]]
    /\ applied' = [applied EXCEPT ![i] = s.index]
    /\ members' = [members EXCEPT ![i] = Heard(known, lg, s.index + 1, Len(lg))]
    /\ role' = [role EXCEPT ![i] = "Follower"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ view' = [view EXCEPT ![i] = Nil]
    /\ upTo' = [upTo EXCEPT ![i] = [j \in Server |-> 0]]
    /\ UNCHANGED <<log, snapshot, messages>>

Restart(i) ==
    /\ restarts < MaxRestarts
    /\ restarts' = restarts + 1
    /\ ComeUp(i)
    /\ UNCHANGED <<term, vote, requests, heartbeats, ticks, cuts, snapshots, changes>>

\* Node i stands for election and crashes after so many writes: its term, the term of its vote, and whom it votes for. So the second
\* write leaves the node that it has voted for in an earlier term, now with the new term.
CrashStanding(i, writes) ==
    /\ i \in Candidates
    /\ role[i] # "Leader"
    /\ term[i] < MaxTerm
    /\ i \in members[i].latest
    /\ cuts < MaxCuts
    /\ cuts' = cuts + 1
    /\ term' = [term EXCEPT ![i] = @ + 1]
    /\ vote' = [vote EXCEPT ![i] =
           IF writes = 3 THEN [term |-> term[i] + 1, node |-> i]
           ELSE IF writes = 2 /\ @ # Nil THEN [term |-> term[i] + 1, node |-> @.node]
           ELSE @]
    /\ ComeUp(i)
    /\ UNCHANGED <<requests, heartbeats, ticks, restarts, snapshots, changes>>

-----------------------------------------------------------------------------
Init ==
    /\ term = [i \in Server |-> 1]
    /\ vote = [i \in Server |-> Nil]
    /\ log = [i \in Server |-> <<Configuration(1, Server)>>]
    /\ snapshot = [i \in Server |-> [index |-> 0, term |-> 0, values |-> <<>>, servers |-> {}, serversIndex |-> 0]]
    /\ last = [i \in Server |-> [index |-> 1, term |-> 1]]
    /\ commit = [i \in Server |-> 0]
    /\ machine = [i \in Server |-> [index |-> 0, term |-> 0, values |-> <<>>]]
    /\ applied = [i \in Server |-> 0]
    /\ members = [i \in Server |-> [latest |-> Server, latestIndex |-> 1, committed |-> {}, committedIndex |-> 0]]
    /\ role = [i \in Server |-> "Follower"]
    /\ leader = [i \in Server |-> Nil]
    /\ votes = [i \in Server |-> {}]
    /\ view = [i \in Server |-> Nil]
    /\ upTo = [i \in Server |-> [j \in Server |-> 0]]
    /\ messages = {}
    /\ requests = 0
    /\ heartbeats = 0
    /\ ticks = 0
    /\ restarts = 0
    /\ cuts = 0
    /\ snapshots = 0
    /\ changes = 0

Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i, j \in Server : Replicate(i, j)
    \/ \E i, j \in Server : Heartbeat(i, j)
    \/ \E i \in Server : TakeSnapshot(i)
    \/ \E i, j \in Server : ChangeMember(i, j)
    \/ \E i \in Server : Restart(i)
    \/ \E i \in Server : \E writes \in 1..3 : CrashStanding(i, writes)
    \/ \E m \in messages : HandleVote(m)
    \/ \E m \in messages : HandleVoteAnswer(m)
    \/ \E m \in messages : HandleAppend(m)
    \/ \E m \in messages : HandleAppendAnswer(m)
    \/ \E m \in messages : HandleHeartbeat(m)
    \/ \E m \in messages : HandleHeartbeatAnswer(m)
    \/ \E m \in messages : HandleSnapshot(m)
    \/ \E m \in messages : HandleSnapshotAnswer(m)

Spec == Init /\ [][Next]_vars

FewInFlight == Cardinality(messages) <= MaxInFlight

\* Not specified: an append that begins before the receiver's snapshot (the library waits by the clock), and a leader that is no member.
Specified ==
    /\ \A m \in Under("append") : m.prevIndex = 0 => snapshot[m.to].index = 0
    /\ \A i \in Server : role[i] = "Leader" => i \in members[i].latest

-----------------------------------------------------------------------------
OneLeader == \A i, j \in Server : role[i] = "Leader" /\ role[j] = "Leader" /\ term[i] = term[j] => i = j

\* The entries up to `end` that both nodes still have are the same.
SameUpTo(i, j, end) == \A k \in (Max(snapshot[i].index, snapshot[j].index) + 1)..end : log[i][k] = log[j][k]

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
        log[i][k].term = log[j][k].term /\ log[i][k] # Gone => SameUpTo(i, j, k)

Committed == \A i, j \in Server : SameUpTo(i, j, Min(commit[i], commit[j]))

CommitInLog == \A i \in Server : commit[i] <= Len(log[i])

\* State machines were told the same, as far as they were told.
Machines ==
    \A i, j \in Server :
        Len(machine[i].values) <= Len(machine[j].values) => SubSeq(machine[j].values, 1, Len(machine[i].values)) = machine[i].values

\* What a node has after its snapshot, or takes for its last entry, is not older than the snapshot. Otherwise it takes in nothing from its leader.
NothingOld == \A i \in Server : LastTerm(i) >= snapshot[i].term

Snapshots == \A i \in Server : applied[i] >= snapshot[i].index /\ \A k \in 1..Len(log[i]) : (log[i][k] = Gone) = (k <= snapshot[i].index)
=============================================================================
