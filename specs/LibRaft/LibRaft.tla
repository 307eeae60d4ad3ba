------------------------------ MODULE LibRaft ------------------------------
(* Raft as the C library libraft (canonical/raft, 0.15) carries it out: its messages and answers, whom it refuses a vote, the leader's     *)
(* view of each follower (probe, pipeline or snapshot), writes that end later than they begin, and snapshots. Pre-vote, the transfer of     *)
(* leadership and changes of membership are left out.                                                                                      *)
(*                                                                                                                                         *)
(* An action is one call into the library and all that it leads to. Time stands still but for Timeout, Heartbeat and CheckQuorum: so a     *)
(* leader that probes a follower has sent it something at this time already, and sends nothing more before the next heartbeat.             *)
(*                                                                                                                                         *)
(* The last three constants say where the library leaves Raft. All are FALSE in Raft.                                                      *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Server,            \* the nodes
    Nil,               \* no node
    Candidates,        \* the nodes whose election timer may run out
    Fragile,           \* the nodes that may crash
    MaxTerm,           \* no election beyond this term
    MaxRequests,       \* how many values clients write
    MaxHeartbeats,     \* how often a leader's heartbeat timer runs out; fewer than ten, which make an election timeout
    MaxChecks,         \* how often a leader looks whether it has heard of a majority
    MaxRestarts,       \* how often a node crashes and comes up again
    MaxDrops,          \* how many messages are lost
    MaxDuplicates,     \* how many messages arrive twice
    MaxInFlight,       \* no further than states with more messages under way; for CONSTRAINT
    Threshold,         \* a node makes a snapshot when it has applied so many entries since the last one
    Trailing,          \* how many entries up to the snapshot it keeps when it has made one
    DiskLater,         \* TRUE: a write of entries or of a snapshot ends in an action of its own. FALSE: with the action that begins it
    CommitsOldTerms,   \* TRUE: a leader commits entries of earlier terms because a majority has them
    AnswersBeyond,     \* TRUE: a follower answers with the end of its log, also if the leader has asked about less of it
    AnswersNewLeader   \* TRUE: when a write ends, the follower answers whomever it follows now. FALSE: only the leader that sent the entries

VARIABLES
    term, vote,        \* on disk before the library goes on
    disk,              \* the entries on disk, and before them those that the snapshot on disk stands for
    saved,             \* what that snapshot is, as in `cut`
    writes,            \* what is on its way to the disk, in order: entries, or a snapshot, which has the index 0
    causes,            \* of each write: why it was begun, the sender's term, and the commit index that was sent along
    log, commit,       \* the log includes what the snapshot stands for
    cut,               \* up to where the last snapshot goes, and how many entries the node has dropped
    stored,            \* up to where the node thinks that its log is on disk
    state,
    leader,            \* of a follower: whom it follows
    votes,             \* of a candidate: who votes for it
    progress,          \* of a leader: what it knows of each node; of itself only `matched` means anything
    messages,          \* under way: a bag
    requests, heartbeats, checks, restarts, drops, duplicates

counters == <<requests, heartbeats, checks, restarts, drops, duplicates>>
files == <<disk, saved, writes, causes, stored>>
entries == <<log, commit, cut>>
role == <<state, leader, votes, progress>>
vars == <<term, vote, files, entries, role, messages, counters>>

-----------------------------------------------------------------------------
Without(bag, m) ==
    IF bag[m] = 1 THEN [n \in DOMAIN bag \ {m} |-> bag[n]] ELSE [bag EXCEPT ![m] = @ - 1]

With(bag, sent) ==
    [m \in DOMAIN bag \union sent |->
        (IF m \in DOMAIN bag THEN bag[m] ELSE 0) + (IF m \in sent THEN 1 ELSE 0)]

Under(type) == {m \in DOMAIN messages : m.type = type}

TermAt(lg, index) == IF index = 0 THEN 0 ELSE lg[index].term
LastTerm(lg) == TermAt(lg, Len(lg))

\* The term of an entry as far as the library knows it; 0 if it has dropped the entry, or never had it.
TermIn(lg, c, index) ==
    IF index = 0 \/ index > Len(lg) \/ (index <= c.dropped /\ index # c.snapshot) THEN 0 ELSE lg[index].term

TermHere(i, index) == TermIn(log[i], cut[i], index)
Others(i) == Server \ {i}
Majority(nodes) == 2 * Cardinality(nodes) > Cardinality(Server)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b

Become(i, what, whom) ==
    /\ state' = [state EXCEPT ![i] = what]
    /\ leader' = [leader EXCEPT ![i] = whom]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ progress' = [progress EXCEPT ![i] = <<>>]

TakeOverTerm(i, t) ==
    /\ term' = [term EXCEPT ![i] = t]
    /\ vote' = IF t > term[i] THEN [vote EXCEPT ![i] = Nil] ELSE vote

\* A message that the node takes no notice of.
Ignore(m) ==
    /\ messages' = Without(messages, m)
    /\ UNCHANGED <<term, vote, files, entries, role>>

\* An answer of a newer term.
StepDown(i, m) ==
    /\ TakeOverTerm(i, m.term)
    /\ Become(i, "follower", Nil)
    /\ messages' = Without(messages, m)
    /\ UNCHANGED <<files, entries>>

-----------------------------------------------------------------------------
(* Sending and counting *)

AppendTo(i, j, known, lg, c) ==
    [type |-> "AppendEntries", from |-> i, to |-> j, term |-> term[i], prev |-> known[j].next - 1,
     prevTerm |-> TermAt(lg, known[j].next - 1), commit |-> c, entries |-> SubSeq(lg, known[j].next, Len(lg))]

SnapshotTo(i, j, lg) ==
    [type |-> "InstallSnapshot", from |-> i, to |-> j, term |-> term[i], last |-> cut[i].snapshot, lastTerm |-> TermAt(lg, cut[i].snapshot),
     entries |-> SubSeq(lg, 1, cut[i].snapshot)]

\* What leader i would have to send to a follower is not there any more.
Missing(i, p, lg) ==
    cut[i].snapshot > 0 /\ (p.next = 1 \/ TermIn(lg, cut[i], p.next - 1) = 0)

\* It sends a snapshot only to those that it has heard of, and only one at a time. Everybody else who would need one gets an empty append.
SendsSnapshot(i, p, lg) == p.mode # "snapshot" /\ Missing(i, p, lg) /\ p.heard
SendsEmpty(i, p, lg) == p.mode = "snapshot" \/ (Missing(i, p, lg) /\ ~p.heard)

MessageTo(i, j, known, lg, c) ==
    IF SendsSnapshot(i, known[j], lg) THEN SnapshotTo(i, j, lg)
    ELSE IF SendsEmpty(i, known[j], lg) THEN AppendTo(i, j, [known EXCEPT ![j].next = Len(lg) + 1], lg, c)
    ELSE AppendTo(i, j, known, lg, c)

Messages(i, to, known, lg, c) == {MessageTo(i, j, known, lg, c) : j \in to}

\* In a pipeline the leader takes what it has sent for received. A snapshot is no heartbeat, so one is still due after it.
AfterSending(i, to, known, lg) ==
    [j \in Server |->
        LET p == known[j] IN
        IF j \notin to THEN p
        ELSE IF SendsSnapshot(i, p, lg) THEN [p EXCEPT !.mode = "snapshot", !.snapshot = cut[i].snapshot]
        ELSE [p EXCEPT !.due = FALSE, !.next = IF p.mode = "pipeline" THEN Len(lg) + 1 ELSE @]]

\* Whether the leader sends something to a follower when it looks.
Wants(p, lg) == p.due \/ (p.mode = "pipeline" /\ p.next <= Len(lg))

\* The commit index of leader i. It looks at one index only: the last that it has on disk.
Quorum(i, index, known, lg) ==
    IF /\ index > commit[i]
       /\ TermIn(lg, cut[i], index) # 0
       /\ CommitsOldTerms \/ TermAt(lg, index) = term[i]
       /\ Majority({j \in Server : known[j].matched >= index})
    THEN index ELSE commit[i]

-----------------------------------------------------------------------------
(* Snapshots of its own *)

Putting(why) == \E k \in DOMAIN why : why[k].why \in {"makes", "installs"}

\* A snapshot is being installed: nothing of the log counts as on disk.
Installing(i) == stored[i] = 0 /\ Putting(causes[i])

\* The log without what a new snapshot stands for.
CutAt(c, index) ==
    [snapshot |-> index, dropped |-> IF index <= Trailing \/ index - Trailing <= c.dropped THEN c.dropped ELSE index - Trailing]

\* Node i has committed up to c and applies that, and so may make a snapshot. The writes that are under way then are w, their causes why.
Apply(i, c, lg, w, why) ==
    LET makes == c > commit[i] /\ c - cut[i].snapshot >= Threshold /\ ~Putting(why) IN
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ IF makes /\ DiskLater
       THEN /\ writes' = [writes EXCEPT ![i] = Append(w, [index |-> 0, entries |-> SubSeq(lg, 1, c)])]
            /\ causes' = [causes EXCEPT ![i] = Append(why, [why |-> "makes", term |-> 0, commit |-> 0])]
            /\ UNCHANGED <<cut, saved>>
       ELSE /\ writes' = [writes EXCEPT ![i] = w]
            /\ causes' = [causes EXCEPT ![i] = why]
            /\ cut' = IF makes THEN [cut EXCEPT ![i] = CutAt(@, c)] ELSE cut
            /\ saved' = IF makes THEN [saved EXCEPT ![i] = CutAt(@, c)] ELSE saved

-----------------------------------------------------------------------------
(* Elections *)

Timeout(i) ==
    /\ i \in Candidates
    /\ state[i] \in {"follower", "candidate"}
    /\ term[i] < MaxTerm
    /\ term' = [term EXCEPT ![i] = @ + 1]
    /\ vote' = [vote EXCEPT ![i] = i]
    /\ state' = [state EXCEPT ![i] = "candidate"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ votes' = [votes EXCEPT ![i] = {i}]
    /\ messages' = With(messages,
           {[type |-> "RequestVote", from |-> i, to |-> j, term |-> term[i] + 1, lastIndex |-> Len(log[i]), lastTerm |-> LastTerm(log[i])]
               : j \in Others(i)})
    /\ UNCHANGED <<progress, files, entries, counters>>

\* A node that leads, or follows a leader, neither votes nor takes over the term.
Vote(i, m) ==
    LET hasLeader == state[i] = "leader" \/ (state[i] = "follower" /\ leader[i] # Nil)
        isNew == m.term > term[i]
        free == isNew \/ vote[i] \in {Nil, m.from}
        upToDate == m.lastTerm > LastTerm(log[i]) \/ (m.lastTerm = LastTerm(log[i]) /\ m.lastIndex >= Len(log[i]))
        grants == ~hasLeader /\ m.term >= term[i] /\ free /\ upToDate
        now == IF hasLeader THEN term[i] ELSE Max(term[i], m.term)
    IN
    /\ term' = [term EXCEPT ![i] = now]
    /\ vote' = [vote EXCEPT ![i] = IF grants THEN m.from ELSE IF now > term[i] THEN Nil ELSE @]
    /\ IF now > term[i] THEN Become(i, "follower", Nil) ELSE UNCHANGED role
    /\ messages' = With(Without(messages, m), {[type |-> "RequestVoteResult", from |-> i, to |-> m.from, term |-> now, granted |-> grants]})
    /\ UNCHANGED <<files, entries>>

HandleRequestVote(m) ==
    /\ m \in Under("RequestVote")
    /\ IF state[m.to] = "unavailable" THEN Ignore(m) ELSE Vote(m.to, m)
    /\ UNCHANGED counters

BecomeLeader(i, m) ==
    LET known == [j \in Server |-> [matched |-> IF j = i THEN stored[i] ELSE 0, next |-> Len(log[i]) + 1, mode |-> "probe",
                                heard |-> FALSE, snapshot |-> 0, due |-> FALSE]] IN
    /\ state' = [state EXCEPT ![i] = "leader"]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ progress' = [progress EXCEPT ![i] = known]
    /\ messages' = With(Without(messages, m), Messages(i, Others(i), known, log[i], commit[i]))
    /\ UNCHANGED <<term, vote, leader, files, entries>>

CountVote(i, m) ==
    IF ~m.granted THEN Ignore(m)
    ELSE IF Majority(votes[i] \union {m.from}) THEN BecomeLeader(i, m)
    ELSE /\ votes' = [votes EXCEPT ![i] = @ \union {m.from}]
         /\ messages' = Without(messages, m)
         /\ UNCHANGED <<term, vote, state, leader, progress, files, entries>>

HandleRequestVoteResult(m) ==
    /\ m \in Under("RequestVoteResult")
    /\ IF state[m.to] # "candidate" \/ m.term < term[m.to] THEN Ignore(m)
       ELSE IF m.term > term[m.to] THEN StepDown(m.to, m)
       ELSE CountVote(m.to, m)
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* Replication *)

ClientRequest(i) ==
    LET lg == Append(log[i], [term |-> term[i], value |-> requests + 1])
        ready == {j \in Others(i) : Wants(progress[i][j], lg)}
        known == AfterSending(i, ready, progress[i], lg)
        done == [known EXCEPT ![i].matched = Len(lg)]
        new == SubSeq(lg, Len(lg), Len(lg))
    IN
    /\ state[i] = "leader"
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ log' = [log EXCEPT ![i] = lg]
    /\ messages' = With(messages, Messages(i, ready, progress[i], lg, commit[i]))
    /\ IF DiskLater
       THEN /\ writes' = [writes EXCEPT ![i] = Append(@, [index |-> Len(lg), entries |-> new])]
            /\ causes' = [causes EXCEPT ![i] = Append(@, [why |-> "leads", term |-> term[i], commit |-> 0])]
            /\ progress' = [progress EXCEPT ![i] = known]
            /\ UNCHANGED <<disk, stored, commit, cut, saved>>
       ELSE /\ disk' = [disk EXCEPT ![i] = @ \o new]
            /\ stored' = [stored EXCEPT ![i] = Len(lg)]
            /\ progress' = [progress EXCEPT ![i] = done]
            /\ Apply(i, Quorum(i, Len(lg), done, lg), lg, writes[i], causes[i])
    /\ UNCHANGED <<term, vote, state, leader, votes, heartbeats, checks, restarts, drops, duplicates>>

Result(i, to, t, rejected, last) ==
    [type |-> "AppendEntriesResult", from |-> i, to |-> to, term |-> t, rejected |-> rejected, last |-> last]

CommitAfter(i, theirs, last) == IF theirs > commit[i] THEN Min(theirs, last) ELSE commit[i]

\* Node i has the entry before those of m.
Matches(i, m) == m.prev = 0 \/ (TermHere(i, m.prev) # 0 /\ TermHere(i, m.prev) = m.prevTerm)

\* The first entry of m that the log of node i does not have; one beyond the last if it has all.
FirstNew(i, m) ==
    CHOOSE k \in 1..(Len(m.entries) + 1) :
        /\ \A n \in 1..(k - 1) : m.prev + n <= cut[i].dropped \/ (m.prev + n <= Len(log[i]) /\ log[i][m.prev + n].term = m.entries[n].term)
        /\ k <= Len(m.entries) =>
               m.prev + k > cut[i].dropped /\ (m.prev + k > Len(log[i]) \/ log[i][m.prev + k].term # m.entries[k].term)

\* The leader contradicts what node i has committed: never in Raft. The library gives up.
Contradicts(i, m) ==
    \/ m.prev <= commit[i] /\ TermHere(i, m.prev) # 0 /\ TermHere(i, m.prev) # m.prevTerm
    \/ Matches(i, m) /\ FirstNew(i, m) <= Len(m.entries) /\ m.prev + FirstNew(i, m) <= Min(commit[i], Len(log[i]))

Follow(i, m) ==
    LET k == FirstNew(i, m)
        base == m.prev + k - 1
        new == SubSeq(m.entries, k, Len(m.entries))
        last == base + Len(new)
        upTo == IF AnswersBeyond THEN stored[i] ELSE Min(m.prev + Len(m.entries), stored[i])
        Reply(rejected, index) == messages' = With(Without(messages, m), {Result(i, m.from, m.term, rejected, index)})
    IN
    /\ TakeOverTerm(i, m.term)
    /\ IF Contradicts(i, m)
       THEN /\ Become(i, "unavailable", Nil)
            /\ messages' = Without(messages, m)
            /\ UNCHANGED <<files, entries>>
       ELSE /\ Become(i, "follower", m.from)
            /\ IF Installing(i) /\ m.entries # <<>>
               THEN /\ messages' = Without(messages, m)
                    /\ UNCHANGED <<files, entries>>
               ELSE IF ~Matches(i, m)
               THEN /\ Reply(m.prev, stored[i])
                    /\ UNCHANGED <<files, entries>>
               ELSE IF new = <<>>
               THEN /\ Apply(i, IF Installing(i) THEN commit[i] ELSE CommitAfter(i, m.commit, stored[i]), log[i], writes[i], causes[i])
                    /\ Reply(0, upTo)
                    /\ UNCHANGED <<disk, stored, log>>
               ELSE /\ log' = [log EXCEPT ![i] = SubSeq(@, 1, base) \o new]
                    /\ IF DiskLater
                       THEN /\ stored' = [stored EXCEPT ![i] = Min(@, base)]
                            /\ writes' = [writes EXCEPT ![i] = Append(@, [index |-> base + 1, entries |-> new])]
                            /\ causes' = [causes EXCEPT ![i] = Append(@, [why |-> "follows", term |-> m.term, commit |-> m.commit])]
                            /\ messages' = Without(messages, m)
                            /\ UNCHANGED <<disk, commit, cut, saved>>
                       ELSE /\ stored' = [stored EXCEPT ![i] = last]
                            /\ disk' = [disk EXCEPT ![i] = SubSeq(@, 1, base) \o new]
                            /\ Apply(i, CommitAfter(i, m.commit, last), log'[i], writes[i], causes[i])
                            /\ Reply(0, last)

HandleAppendEntries(m) ==
    /\ m \in Under("AppendEntries")
    /\ IF state[m.to] = "unavailable" THEN Ignore(m)
       ELSE IF m.term < term[m.to]
       THEN /\ messages' = With(Without(messages, m), {Result(m.to, m.from, term[m.to], m.prev, Len(log[m.to]))})
            /\ UNCHANGED <<term, vote, files, entries, role>>
       ELSE Follow(m.to, m)
    /\ UNCHANGED counters

\* The leader looks whether it has to send something to those in `to`.
Look(i, to, known, c, m) ==
    LET ready == {j \in to : Wants(known[j], log[i])} IN
    /\ progress' = [progress EXCEPT ![i] = AfterSending(i, ready, known, log[i])]
    /\ messages' = With(Without(messages, m), Messages(i, ready, known, log[i], c))

\* What a leader knows of a follower that has got its snapshot.
AfterSnapshot(p) ==
    IF p.matched >= p.snapshot THEN [p EXCEPT !.mode = "probe", !.next = Max(p.matched + 1, p.snapshot), !.snapshot = 0] ELSE p

Accepted(i, m) ==
    LET p == [progress[i][m.from] EXCEPT !.heard = TRUE]
        last == Min(m.last, Len(log[i]))
        isNews == p.matched < last
        q == [p EXCEPT !.matched = Max(@, last), !.next = Max(@, last + 1)]
        r == IF ~isNews THEN q ELSE IF q.mode = "snapshot" THEN AfterSnapshot(q) ELSE [q EXCEPT !.mode = "pipeline"]
        known == [progress[i] EXCEPT ![m.from] = r]
        c == IF isNews THEN Quorum(i, stored[i], known, log[i]) ELSE commit[i]
    IN
    /\ Look(i, IF isNews /\ r.mode = "pipeline" THEN {m.from} ELSE {}, known, c, m)
    /\ Apply(i, c, log[i], writes[i], causes[i])

Refused(i, m) ==
    LET p == [progress[i][m.from] EXCEPT !.heard = TRUE]
        isOld == IF p.mode = "snapshot" THEN m.rejected # p.snapshot ELSE IF p.mode = "pipeline" THEN m.rejected <= p.matched ELSE m.rejected # p.next - 1
        q == IF isOld THEN p
             ELSE IF p.mode = "snapshot" THEN [p EXCEPT !.mode = "probe", !.snapshot = 0]
             ELSE IF p.mode = "pipeline" THEN [p EXCEPT !.next = p.matched + 1, !.mode = "probe"]
             ELSE [p EXCEPT !.next = Max(1, Min(m.rejected, m.last + 1))]
    IN
    /\ Look(i, IF isOld THEN {} ELSE {m.from}, [progress[i] EXCEPT ![m.from] = q], commit[i], m)
    /\ UNCHANGED <<commit, cut, saved, writes, causes>>

HandleAppendEntriesResult(m) ==
    /\ m \in Under("AppendEntriesResult")
    /\ IF state[m.to] # "leader" \/ m.term < term[m.to] THEN Ignore(m)
       ELSE IF m.term > term[m.to] THEN StepDown(m.to, m)
       ELSE /\ IF m.rejected = 0 THEN Accepted(m.to, m) ELSE Refused(m.to, m)
            /\ UNCHANGED <<term, vote, disk, stored, log, state, leader, votes>>
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* Snapshots of others *)

Install(i, m) ==
    LET has == cut[i].snapshot >= m.last \/ TermHere(i, m.last) >= m.lastTerm
        Reply(last) == messages' = With(Without(messages, m), {Result(i, m.from, m.term, 0, last)})
    IN
    /\ TakeOverTerm(i, m.term)
    /\ Become(i, "follower", m.from)
    /\ IF Putting(causes[i])
       THEN /\ messages' = Without(messages, m)
            /\ UNCHANGED <<files, entries>>
       ELSE IF has
       THEN /\ Reply(m.last)
            /\ UNCHANGED <<files, entries>>
       ELSE /\ log' = [log EXCEPT ![i] = m.entries]
            /\ cut' = [cut EXCEPT ![i] = [snapshot |-> m.last, dropped |-> m.last]]
            /\ IF DiskLater
               THEN /\ stored' = [stored EXCEPT ![i] = 0]
                    /\ writes' = [writes EXCEPT ![i] = Append(@, [index |-> 0, entries |-> m.entries])]
                    /\ causes' = [causes EXCEPT ![i] = Append(@, [why |-> "installs", term |-> m.term, commit |-> 0])]
                    /\ messages' = Without(messages, m)
                    /\ UNCHANGED <<disk, saved, commit>>
               ELSE /\ stored' = [stored EXCEPT ![i] = m.last]
                    /\ commit' = [commit EXCEPT ![i] = m.last]
                    /\ disk' = [disk EXCEPT ![i] = m.entries]
                    /\ saved' = [saved EXCEPT ![i] = cut'[i]]
                    /\ Reply(m.last)
                    /\ UNCHANGED <<writes, causes>>

HandleInstallSnapshot(m) ==
    /\ m \in Under("InstallSnapshot")
    /\ IF state[m.to] = "unavailable" THEN Ignore(m)
       ELSE IF m.term < term[m.to]
       THEN /\ messages' = With(Without(messages, m), {Result(m.to, m.from, term[m.to], m.last, Len(log[m.to]))})
            /\ UNCHANGED <<term, vote, files, entries, role>>
       ELSE Install(m.to, m)
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* The disk *)

\* How many entries of a write are still in the log.
StillThere(i, w) ==
    CHOOSE n \in 0..Len(w.entries) :
        /\ \A k \in 1..n : TermHere(i, w.index + k - 1) = w.entries[k].term
        /\ n < Len(w.entries) => TermHere(i, w.index + n) # w.entries[n + 1].term

EntriesDone(i, w, cause) ==
    LET leads == cause.why = "leads"
        n == StillThere(i, w)
        counts == leads \/ (state[i] # "unavailable" /\ ~Installing(i))
        upTo == IF counts THEN stored[i] + n ELSE stored[i]
        follows == ~leads /\ counts /\ n > 0 /\ state[i] = "follower"
        answers == follows /\ leader[i] # Nil /\ (AnswersNewLeader \/ cause.term = term[i])
        known == [progress[i] EXCEPT ![i].matched = upTo]
    IN
    /\ disk' = [disk EXCEPT ![i] = SubSeq(@, 1, w.index - 1) \o w.entries]
    /\ stored' = [stored EXCEPT ![i] = upTo]
    /\ IF leads /\ state[i] = "leader"
       THEN /\ progress' = [progress EXCEPT ![i] = known]
            /\ Apply(i, Quorum(i, upTo, known, log[i]), log[i], Tail(writes[i]), Tail(causes[i]))
       ELSE /\ progress' = progress
            /\ Apply(i, IF follows THEN CommitAfter(i, cause.commit, upTo) ELSE commit[i], log[i], Tail(writes[i]), Tail(causes[i]))
    /\ messages' = With(messages, IF answers THEN {Result(i, leader[i], term[i], 0, upTo)} ELSE {})
    /\ log' = log

SnapshotDone(i, w, cause) ==
    LET last == Len(w.entries)
        installs == cause.why = "installs" /\ state[i] # "unavailable"
        answers == installs /\ state[i] = "follower" /\ leader[i] # Nil
    IN
    /\ writes' = [writes EXCEPT ![i] = Tail(@)]
    /\ causes' = [causes EXCEPT ![i] = Tail(@)]
    /\ disk' = IF cause.why = "installs" THEN [disk EXCEPT ![i] = w.entries] ELSE disk
    /\ saved' = [saved EXCEPT ![i] = IF cause.why = "installs" THEN [snapshot |-> last, dropped |-> last] ELSE CutAt(@, last)]
    /\ cut' = IF cause.why = "makes" THEN [cut EXCEPT ![i] = CutAt(@, last)] ELSE cut
    /\ stored' = IF installs THEN [stored EXCEPT ![i] = last] ELSE stored
    /\ commit' = IF installs THEN [commit EXCEPT ![i] = last] ELSE commit
    /\ messages' = With(messages, IF answers THEN {Result(i, leader[i], term[i], 0, last)} ELSE {})
    /\ UNCHANGED <<log, progress>>

WriteDone(i) ==
    /\ writes[i] # <<>>
    /\ IF Head(writes[i]).index = 0
       THEN SnapshotDone(i, Head(writes[i]), Head(causes[i]))
       ELSE EntriesDone(i, Head(writes[i]), Head(causes[i]))
    /\ UNCHANGED <<term, vote, state, leader, votes, counters>>

-----------------------------------------------------------------------------
(* Time *)

Beat(i, before) ==
    LET known == [j \in Server |-> IF j = i THEN before[j] ELSE [before[j] EXCEPT !.due = TRUE]] IN
    /\ progress' = [progress EXCEPT ![i] = AfterSending(i, Others(i), known, log[i])]
    /\ messages' = With(messages, Messages(i, Others(i), known, log[i], commit[i]))

Heartbeat(i) ==
    /\ state[i] = "leader"
    /\ heartbeats < MaxHeartbeats
    /\ heartbeats' = heartbeats + 1
    /\ Beat(i, progress[i])
    /\ UNCHANGED <<term, vote, files, entries, state, leader, votes, requests, checks, restarts, drops, duplicates>>

\* A leader that has not heard of a majority since it looked last gives up its office.
CheckQuorum(i) ==
    /\ state[i] = "leader"
    /\ checks < MaxChecks
    /\ checks' = checks + 1
    /\ IF Majority({i} \union {j \in Others(i) : progress[i][j].heard})
       THEN /\ Beat(i, [j \in Server |-> [progress[i][j] EXCEPT !.heard = FALSE]])
            /\ UNCHANGED <<state, leader, votes>>
       ELSE /\ Become(i, "follower", Nil)
            /\ messages' = messages
    /\ UNCHANGED <<term, vote, files, entries, requests, heartbeats, restarts, drops, duplicates>>

-----------------------------------------------------------------------------
(* Faults *)

\* What is on its way to the disk is lost. The first entry, of the first configuration, counts as committed.
Restart(i) ==
    /\ i \in Fragile
    /\ restarts < MaxRestarts
    /\ restarts' = restarts + 1
    /\ Become(i, "follower", Nil)
    /\ log' = [log EXCEPT ![i] = disk[i]]
    /\ stored' = [stored EXCEPT ![i] = Len(disk[i])]
    /\ cut' = [cut EXCEPT ![i] = saved[i]]
    /\ commit' = [commit EXCEPT ![i] = Max(1, saved[i].snapshot)]
    /\ writes' = [writes EXCEPT ![i] = <<>>]
    /\ causes' = [causes EXCEPT ![i] = <<>>]
    /\ UNCHANGED <<term, vote, disk, saved, messages, requests, heartbeats, checks, drops, duplicates>>

DropMessage(m) ==
    /\ m \in DOMAIN messages
    /\ drops < MaxDrops
    /\ drops' = drops + 1
    /\ messages' = Without(messages, m)
    /\ UNCHANGED <<term, vote, files, entries, role, requests, heartbeats, checks, restarts, duplicates>>

DuplicateMessage(m) ==
    /\ m \in DOMAIN messages
    /\ duplicates < MaxDuplicates
    /\ duplicates' = duplicates + 1
    /\ messages' = With(messages, {m})
    /\ UNCHANGED <<term, vote, files, entries, role, requests, heartbeats, checks, restarts, drops>>

-----------------------------------------------------------------------------
First == <<[term |-> 1, value |-> 0]>>

Init ==
    /\ term = [i \in Server |-> 1]
    /\ vote = [i \in Server |-> Nil]
    /\ disk = [i \in Server |-> First]
    /\ saved = [i \in Server |-> [snapshot |-> 0, dropped |-> 0]]
    /\ writes = [i \in Server |-> <<>>]
    /\ causes = [i \in Server |-> <<>>]
    /\ log = [i \in Server |-> First]
    /\ commit = [i \in Server |-> 1]
    /\ cut = [i \in Server |-> [snapshot |-> 0, dropped |-> 0]]
    /\ stored = [i \in Server |-> 1]
    /\ state = [i \in Server |-> "follower"]
    /\ leader = [i \in Server |-> Nil]
    /\ votes = [i \in Server |-> {}]
    /\ progress = [i \in Server |-> <<>>]
    /\ messages = <<>>
    /\ requests = 0
    /\ heartbeats = 0
    /\ checks = 0
    /\ restarts = 0
    /\ drops = 0
    /\ duplicates = 0

Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i \in Server : Heartbeat(i)
    \/ \E i \in Server : CheckQuorum(i)
    \/ \E i \in Server : WriteDone(i)
    \/ \E i \in Server : Restart(i)
    \/ \E m \in DOMAIN messages : HandleRequestVote(m)
    \/ \E m \in DOMAIN messages : HandleRequestVoteResult(m)
    \/ \E m \in DOMAIN messages : HandleAppendEntries(m)
    \/ \E m \in DOMAIN messages : HandleAppendEntriesResult(m)
    \/ \E m \in DOMAIN messages : HandleInstallSnapshot(m)
    \/ \E m \in DOMAIN messages : DropMessage(m)
    \/ \E m \in DOMAIN messages : DuplicateMessage(m)

Spec == Init /\ [][Next]_vars

RECURSIVE Sum(_, _)
Sum(bag, ms) == IF ms = {} THEN 0 ELSE LET m == CHOOSE m \in ms : TRUE IN bag[m] + Sum(bag, ms \ {m})

FewInFlight == Sum(messages, DOMAIN messages) <= MaxInFlight

-----------------------------------------------------------------------------
OneLeader == \A i, j \in Server : state[i] = "leader" /\ state[j] = "leader" /\ term[i] = term[j] => i = j

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
        log[i][k].term = log[j][k].term => SubSeq(log[i], 1, k) = SubSeq(log[j], 1, k)

\* What two nodes have applied at an index is the same.
StateMachineSafety ==
    \A i, j \in Server : \A k \in 1..Min(commit[i], commit[j]) : log[i][k] = log[j][k]

\* A leader that counts an entry as received by a majority is right.
MatchedIsThere ==
    \A i, j \in Server : state[i] = "leader" /\ term[i] = term[j] /\ i # j =>
        LET k == progress[i][j].matched IN k = 0 \/ (k <= Len(log[j]) /\ log[j][k] = log[i][k])

CommitInLog == \A i \in Server : (Installing(i) \/ commit[i] <= stored[i]) /\ stored[i] <= Len(log[i])
=============================================================================
