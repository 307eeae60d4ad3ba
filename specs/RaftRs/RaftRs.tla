------------------------------- MODULE RaftRs -------------------------------
(* Raft as the crate `raft` (TiKV's raft-rs, 0.7) carries it out: its messages with their fields, its answers and its silences, the        *)
(* leader's view of each follower (Probe, Replicate or Snapshot), and commit indexes that ride on votes. Pre-vote, check-quorum, read       *)
(* index, leader transfer, priorities, learners, joint consensus, and limits to what is under way are left out.                            *)
(*                                                                                                                                         *)
(* raft-rs began as a port of the raft of etcd. The constants in -Carry-Commit, HintsByTerm and ProbesAfterSnapshot say where the raft of  *)
(* etcd 3.4 differs.                                                                                                                       *)
(*                                                                                                                                         *)
(* An action is one call into the library and all that it leads to: a tick or a message, and the handling of the `Ready` that follows.     *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Server,        \* the nodes
    Nil,           \* no node
    Campaigners,   \* the nodes whose election timer may run out
    MaxTerm,       \* no campaign beyond this term
    MaxRequests,   \* how many proposals clients make
    MaxHeartbeats, \* how often a leader's heartbeat timer runs out
    MaxRestarts,   \* how often a node crashes and comes up again
    MaxDrops,      \* how many messages are lost
    MaxDuplicates, \* how many messages arrive twice
    MaxSnapshots,  \* how often a node makes a snapshot of what it has applied, and drops the entries
    MaxReports,    \* how often the network tells a leader how it went with a snapshot
    MaxChanges,    \* how often a leader is asked to remove a member, or to add it again
    MaxInFlight,   \* no further than states with more messages under way; for CONSTRAINT
    AnswersStale,  \* TRUE: a request of an older term is answered, as in the Raft paper. raft-rs is silent unless check-quorum or pre-vote is on
    VotesCarryCommit,   \* TRUE: a request for a vote and its refusal carry the sender's commit index and its term; etcd: FALSE
    AnswersCarryCommit, \* TRUE: an answer to an append or a heartbeat carries the follower's commit index; etcd: FALSE
    HintsByTerm,        \* TRUE: a follower that refuses an append names an entry that may match, and its term; etcd: FALSE, its last index
    ProbesAfterSnapshot \* TRUE: a leader probes a follower that has taken in a snapshot; etcd: FALSE, it replicates at once

VARIABLES
    term, vote, log, commit,  \* what a node stores; the log includes what the snapshot stands for
    compacted,                \* the last entry that the snapshot stands for; the library has none of the entries up to there
    voters,                   \* the members, as far as a node has applied changes
    role, leader,             \* what it thinks that it is, and whom it follows
    votes,                    \* the answers to a candidate, by node
    progress,                 \* what a leader knows of the others
    messages,                 \* under way: a bag
    requests, heartbeats, restarts, drops, duplicates, snapshots, reports, changes

stored == <<term, vote, log, commit, compacted>>
counters == <<requests, heartbeats, restarts, drops, duplicates, snapshots, reports, changes>>
vars == <<stored, voters, role, leader, votes, progress, messages, counters>>

-----------------------------------------------------------------------------
(* Messages have all fields that raft-rs gives to any of them; those without a meaning are as protobuf leaves them. A snapshot uses three   *)
(* of these: `index` and `logTerm` are those of its last entry, and `entries` is what it stands for.                                        *)

Blank(type, from, to, t) ==
    [type |-> type, from |-> from, to |-> to, term |-> t, index |-> 0, logTerm |-> 0, entries |-> <<>>,
     commit |-> 0, commitTerm |-> 0, reject |-> FALSE, hint |-> 0]

\* What of a vote or of an answer goes over the network.
VoteSent(m) == IF VotesCarryCommit THEN m ELSE [m EXCEPT !.commit = 0, !.commitTerm = 0]
AnswerSent(m) == IF AnswersCarryCommit THEN m ELSE [m EXCEPT !.commit = 0]

Without(bag, m) ==
    IF bag[m] = 1 THEN [n \in DOMAIN bag \ {m} |-> bag[n]] ELSE [bag EXCEPT ![m] = @ - 1]

With(bag, sent) ==
    [m \in DOMAIN bag \union sent |->
        (IF m \in DOMAIN bag THEN bag[m] ELSE 0) + (IF m \in sent THEN 1 ELSE 0)]

Under(type) == {m \in DOMAIN messages : m.type = type}

-----------------------------------------------------------------------------
TermAt(lg, index) == IF index = 0 THEN 0 ELSE lg[index].term
LastTerm(lg) == TermAt(lg, Len(lg))
Others(i) == voters[i] \ {i}
Majority(nodes, of) == 2 * Cardinality(nodes \intersect of) > Cardinality(of)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b

\* The library knows the term of the last entry that the snapshot stands for, and takes those before it for 0.
TermHere(i, index) == IF index < compacted[i] THEN 0 ELSE TermAt(log[i], index)

\* The largest index up to `index` whose term is not beyond `t`.
ConflictByTerm(i, index, t) ==
    IF index > Len(log[i]) THEN index
    ELSE CHOOSE k \in 0..index : TermHere(i, k) <= t /\ \A n \in (k + 1)..index : TermHere(i, n) > t

\* The members after a node that had `members` has applied the entries of its log from `first` to `last`. An entry whose value is a node
\* removes it, or adds it again.
RECURSIVE After(_, _, _, _)
After(members, lg, first, last) ==
    IF first > last THEN members
    ELSE LET v == lg[first].value IN
         After(IF v \notin Server THEN members ELSE IF v \in members THEN members \ {v} ELSE members \union {v}, lg, first + 1, last)

\* A node applies what it commits at once.
Members == voters' = [i \in Server |-> IF commit'[i] = commit[i] THEN voters[i] ELSE After(voters[i], log'[i], commit[i] + 1, commit'[i])]

\* What a node knows of the others when it leads no longer, or not yet.
Nothing == <<>>

BecomeFollower(i, t, whom) ==
    /\ term' = [term EXCEPT ![i] = t]
    /\ vote' = IF t = term[i] THEN vote ELSE [vote EXCEPT ![i] = Nil]
    /\ role' = [role EXCEPT ![i] = "Follower"]
    /\ leader' = [leader EXCEPT ![i] = whom]
    /\ votes' = [votes EXCEPT ![i] = Nothing]
    /\ progress' = [progress EXCEPT ![i] = Nothing]

\* The commit index that a vote or its refusal carries counts if the entry is the same here.
CommitByVote(i, m) ==
    IF m.commit > commit[i] /\ m.commitTerm > 0 /\ m.commit <= Len(log[i]) /\ TermAt(log[i], m.commit) = m.commitTerm
    THEN m.commit
    ELSE commit[i]

-----------------------------------------------------------------------------
(* Sending entries *)

CanSend(p) == p.state = "Replicate" \/ (p.state = "Probe" /\ ~p.paused)

\* What leader i has to send to a follower is no longer there.
NeedsSnapshot(i, p) == p.next <= compacted[i]

AfterSending(i, p, lg) ==
    IF NeedsSnapshot(i, p) THEN [p EXCEPT !.state = "Snapshot", !.paused = FALSE, !.pending = compacted[i]]
    ELSE IF p.next > Len(lg) THEN p
    ELSE IF p.state = "Probe" THEN [p EXCEPT !.paused = TRUE]
    ELSE [p EXCEPT !.next = Len(lg) + 1]

SnapshotTo(i, j) ==
    [Blank("MsgSnapshot", i, j, term[i]) EXCEPT
        !.index = compacted[i], !.logTerm = TermAt(log[i], compacted[i]), !.entries = SubSeq(log[i], 1, compacted[i])]

AppendTo(i, j, p, lg, c) ==
    IF NeedsSnapshot(i, p) THEN SnapshotTo(i, j) ELSE
    [Blank("MsgAppend", i, j, term[i]) EXCEPT
        !.index = p.next - 1, !.logTerm = TermAt(lg, p.next - 1), !.entries = SubSeq(lg, p.next, Len(lg)), !.commit = c]

\* Node i sends to those of `to` that it may send to, with the log and the commit index that it has then.
Broadcast(i, to, known, lg, c, rest) ==
    LET ready == {j \in to : CanSend(known[j])} IN
    /\ messages' = With(rest, {AppendTo(i, j, known[j], lg, c) : j \in ready})
    /\ progress' = [progress EXCEPT ![i] = [j \in DOMAIN known |-> IF j \in ready THEN AfterSending(i, known[j], lg) ELSE known[j]]]

-----------------------------------------------------------------------------
(* Elections *)

Campaign(i) ==
    /\ i \in Campaigners
    /\ i \in voters[i]
    /\ role[i] # "Leader"
    /\ term[i] < MaxTerm
    /\ term' = [term EXCEPT ![i] = @ + 1]
    /\ vote' = [vote EXCEPT ![i] = i]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ leader' = [leader EXCEPT ![i] = Nil]
    /\ votes' = [votes EXCEPT ![i] = [j \in {i} |-> TRUE]]
    /\ messages' = With(messages,
           {VoteSent([Blank("MsgRequestVote", i, j, term[i] + 1) EXCEPT
               !.index = Len(log[i]), !.logTerm = LastTerm(log[i]), !.commit = commit[i],
               !.commitTerm = TermAt(log[i], commit[i])]) : j \in Others(i)})
    /\ UNCHANGED <<log, commit, compacted, voters, progress, counters>>

\* What a request of an older term gives.
Stale(i, m, answer) ==
    /\ m.term < term[i]
    /\ messages' = With(Without(messages, m), IF AnswersStale THEN {[Blank(answer, i, m.from, term[i]) EXCEPT !.reject = TRUE]} ELSE {})
    /\ UNCHANGED <<stored, role, leader, votes, progress>>

Vote(i, m) ==
    LET isNew == m.term > term[i]
        mayVote == isNew \/ vote[i] = m.from \/ (vote[i] = Nil /\ leader[i] = Nil)
        upToDate == m.logTerm > LastTerm(log[i]) \/ (m.logTerm = LastTerm(log[i]) /\ m.index >= Len(log[i]))
        grants == mayVote /\ upToDate
        answer == IF grants THEN Blank("MsgRequestVoteResponse", i, m.from, m.term)
                  ELSE [Blank("MsgRequestVoteResponse", i, m.from, m.term) EXCEPT
                            !.reject = TRUE, !.commit = commit[i], !.commitTerm = TermAt(log[i], commit[i])]
    IN
    /\ m.term >= term[i]
    /\ term' = [term EXCEPT ![i] = m.term]
    /\ vote' = [vote EXCEPT ![i] = IF grants THEN m.from ELSE IF isNew THEN Nil ELSE @]
    /\ role' = IF isNew THEN [role EXCEPT ![i] = "Follower"] ELSE role
    /\ leader' = IF isNew THEN [leader EXCEPT ![i] = Nil] ELSE leader
    /\ votes' = IF isNew THEN [votes EXCEPT ![i] = Nothing] ELSE votes
    /\ progress' = IF isNew THEN [progress EXCEPT ![i] = Nothing] ELSE progress
    /\ commit' = IF grants \/ role'[i] = "Leader" THEN commit ELSE [commit EXCEPT ![i] = CommitByVote(i, m)]
    /\ messages' = With(Without(messages, m), {VoteSent(answer)})
    /\ UNCHANGED <<log, compacted>>

HandleRequestVote(m) ==
    /\ m \in Under("MsgRequestVote")
    /\ Stale(m.to, m, "MsgRequestVoteResponse") \/ Vote(m.to, m)
    /\ Members
    /\ UNCHANGED counters

\* A message that changes nothing but for the term that it carries.
OnlyItsTerm(i, m) ==
    /\ IF m.term > term[i] THEN BecomeFollower(i, m.term, Nil)
       ELSE UNCHANGED <<term, vote, role, leader, votes, progress>>
    /\ messages' = Without(messages, m)
    /\ UNCHANGED <<log, commit, compacted>>

\* The answer of a node that is no member is thrown away, whatever its term.
ThrowAway(i, m) ==
    /\ m.from \notin voters[i]
    /\ messages' = Without(messages, m)
    /\ UNCHANGED <<stored, role, leader, votes, progress>>

BecomeLeader(i, m) ==
    LET lg == Append(log[i], [term |-> term[i], value |-> 0])
        fresh == [j \in Others(i) |-> [matched |-> 0, next |-> Len(log[i]) + 1, state |-> "Probe", paused |-> FALSE, pending |-> 0]]
    IN
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ leader' = [leader EXCEPT ![i] = i]
    /\ votes' = [votes EXCEPT ![i] = Nothing]
    /\ log' = [log EXCEPT ![i] = lg]
    /\ Broadcast(i, Others(i), fresh, lg, commit[i], Without(messages, m))
    /\ UNCHANGED <<term, vote, commit, compacted>>

CountVote(i, m) ==
    LET known == votes[i]
        now == [j \in DOMAIN known \union {m.from} |-> IF j \in DOMAIN known THEN known[j] ELSE ~m.reject]
        granted == {j \in DOMAIN now : now[j]}
        refused == DOMAIN now \ granted
    IN
    /\ m.term = term[i]
    /\ role[i] = "Candidate"
    /\ \/ Majority(granted, voters[i]) /\ BecomeLeader(i, m)
       \/ /\ ~Majority(granted, voters[i])
          /\ IF Majority(voters[i] \ refused, voters[i]) /\ After(voters[i], log[i], commit[i] + 1, CommitByVote(i, m)) = voters[i]
             THEN /\ votes' = [votes EXCEPT ![i] = now]
                  /\ UNCHANGED <<term, vote, role, leader, progress>>
             ELSE BecomeFollower(i, term[i], Nil)
          /\ commit' = [commit EXCEPT ![i] = CommitByVote(i, m)]
          /\ messages' = Without(messages, m)
          /\ UNCHANGED <<log, compacted>>

HandleRequestVoteResponse(m) ==
    /\ m \in Under("MsgRequestVoteResponse")
    /\ \/ ThrowAway(m.to, m)
       \/ m.from \in voters[m.to] /\ CountVote(m.to, m)
       \/ m.from \in voters[m.to] /\ ~(m.term = term[m.to] /\ role[m.to] = "Candidate") /\ OnlyItsTerm(m.to, m)
    /\ Members
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* Replication *)

ClientRequest(i) ==
    /\ role[i] = "Leader"
    /\ i \in voters[i]
    /\ requests < MaxRequests
    /\ requests' = requests + 1
    /\ LET lg == Append(log[i], [term |-> term[i], value |-> requests + 1]) IN
       /\ log' = [log EXCEPT ![i] = lg]
       /\ Broadcast(i, Others(i), progress[i], lg, commit[i], messages)
    /\ UNCHANGED <<term, vote, commit, compacted, voters, role, leader, votes, heartbeats, restarts, drops, duplicates, snapshots, reports, changes>>

\* The log after the entries of an append: what conflicts with them is gone, what agrees stays, also beyond them.
Merged(lg, index, entries) ==
    LET conflicts == {k \in 1..Len(entries) : index + k > Len(lg) \/ lg[index + k].term # entries[k].term} IN
    IF conflicts = {} THEN lg
    ELSE LET k == CHOOSE k \in conflicts : \A n \in conflicts : k <= n IN
         SubSeq(lg, 1, index + k - 1) \o SubSeq(entries, k, Len(entries))

Follow(i, m) ==
    LET answer == Blank("MsgAppendResponse", i, m.from, m.term)
        matches == m.index <= Len(log[i]) /\ TermAt(log[i], m.index) = m.logTerm
        last == m.index + Len(m.entries)
        hint == IF HintsByTerm THEN ConflictByTerm(i, Min(m.index, Len(log[i])), m.logTerm) ELSE Len(log[i])
        hintTerm == IF HintsByTerm THEN TermHere(i, hint) ELSE 0
        c == IF matches THEN Max(commit[i], Min(m.commit, last)) ELSE commit[i]
    IN
    /\ m.term >= term[i]
    /\ BecomeFollower(i, m.term, m.from)
    /\ compacted' = compacted
    /\ IF m.index < commit[i]
       THEN /\ messages' = With(Without(messages, m), {AnswerSent([answer EXCEPT !.index = commit[i], !.commit = commit[i]])})
            /\ UNCHANGED <<log, commit>>
       ELSE IF matches
       THEN /\ log' = [log EXCEPT ![i] = Merged(@, m.index, m.entries)]
            /\ commit' = [commit EXCEPT ![i] = c]
            /\ messages' = With(Without(messages, m), {AnswerSent([answer EXCEPT !.index = last, !.commit = c])})
       ELSE /\ messages' = With(Without(messages, m),
                  {AnswerSent([answer EXCEPT !.index = m.index, !.reject = TRUE, !.hint = hint, !.logTerm = hintTerm, !.commit = c])})
            /\ UNCHANGED <<log, commit>>

HandleAppend(m) ==
    /\ m \in Under("MsgAppend")
    /\ Stale(m.to, m, "MsgAppendResponse") \/ Follow(m.to, m)
    /\ Members
    /\ UNCHANGED counters

\* The largest index that a majority has.
Agreed(i, known, lg, members) ==
    LET have(k) == {i} \union {j \in DOMAIN known : known[j].matched >= k}
    IN CHOOSE k \in 0..Len(lg) : Majority(have(k), members) /\ \A n \in (k + 1)..Len(lg) : ~Majority(have(n), members)

\* Leader i commits a change of the members, and tells the old ones. Then it applies the change: perhaps more is committed by the new members,
\* and it tells them. Otherwise it sends to those for whom it has entries, a new member above all.
Changes(i, known, c, rest) ==
    LET lg == log[i]
        members == After(voters[i], lg, commit[i] + 1, c)
        first == {j \in DOMAIN known : CanSend(known[j])}
        told == [j \in DOMAIN known |-> IF j \in first THEN AfterSending(i, known[j], lg) ELSE known[j]]
        fresh == [matched |-> 0, next |-> Len(lg), state |-> "Probe", paused |-> FALSE, pending |-> 0]
        now == [j \in members \ {i} |-> IF j \in DOMAIN told THEN told[j] ELSE fresh]
        agreed == Agreed(i, now, lg, members)
        commits == i \in members /\ agreed > c /\ TermAt(lg, agreed) = term[i]
        second == {j \in DOMAIN now : i \in members /\ CanSend(now[j]) /\ (commits \/ now[j].next <= Len(lg))}
        d == IF commits THEN agreed ELSE c
    IN
    /\ messages' = With(With(rest, {AppendTo(i, j, known[j], lg, c) : j \in first}), {AppendTo(i, j, now[j], lg, d) : j \in second})
    /\ progress' = [progress EXCEPT ![i] = [j \in DOMAIN now |-> IF j \in second THEN AfterSending(i, now[j], lg) ELSE now[j]]]
    /\ commit' = [commit EXCEPT ![i] = d]

Accepted(i, m) ==
    LET p == progress[i][m.from]
        updated == [p EXCEPT !.matched = m.index, !.paused = FALSE, !.next = Max(@, m.index + 1)]
        resumed == [updated EXCEPT !.next = m.index + 1, !.pending = 0]
        known == [progress[i] EXCEPT ![m.from] =
                      IF p.state = "Probe" THEN [resumed EXCEPT !.state = "Replicate"]
                      ELSE IF p.state = "Snapshot" /\ m.index >= p.pending
                      THEN [resumed EXCEPT !.state = IF ProbesAfterSnapshot THEN "Probe" ELSE "Replicate"]
                      ELSE updated]
        agreed == Agreed(i, known, log[i], voters[i])
        commits == agreed > commit[i] /\ TermAt(log[i], agreed) = term[i]
        c == IF commits THEN agreed ELSE commit[i]
        waits == ~CanSend(p)
        more == known[m.from].next <= Len(log[i]) /\ ~NeedsSnapshot(i, known[m.from])
        to == IF commits THEN DOMAIN known ELSE IF waits \/ more THEN {m.from} ELSE {}
    IN
    /\ ~m.reject
    /\ IF p.matched >= m.index
       THEN /\ progress' = [progress EXCEPT ![i][m.from].next = Max(@, m.index + 1)]
            /\ messages' = Without(messages, m)
            /\ commit' = commit
       ELSE IF After(voters[i], log[i], commit[i] + 1, c) = voters[i]
       THEN /\ Broadcast(i, to, known, log[i], c, Without(messages, m))
            /\ commit' = [commit EXCEPT ![i] = c]
       ELSE Changes(i, known, c, Without(messages, m))

Refused(i, m) ==
    LET p == progress[i][m.from]
        hint == IF m.logTerm > 0 THEN ConflictByTerm(i, m.hint, m.logTerm) ELSE m.hint
        isOld == IF p.state = "Replicate" THEN m.index <= p.matched ELSE p.next - 1 # m.index
        next == IF p.state = "Replicate" THEN p.matched + 1 ELSE Max(1, Min(m.index, hint + 1))
        state == IF p.state = "Replicate" THEN "Probe" ELSE p.state
        known == [progress[i] EXCEPT ![m.from] = [p EXCEPT !.next = next, !.state = state, !.paused = FALSE]]
    IN
    /\ m.reject
    /\ IF isOld
       THEN /\ messages' = Without(messages, m)
            /\ progress' = progress
       ELSE Broadcast(i, {m.from}, known, log[i], commit[i], Without(messages, m))
    /\ commit' = commit

Leads(i, m) == m.term = term[i] /\ role[i] = "Leader"

HandleAppendResponse(m) ==
    /\ m \in Under("MsgAppendResponse")
    /\ \/ ThrowAway(m.to, m)
       \/ /\ m.from \in voters[m.to]
          /\ Leads(m.to, m)
          /\ Accepted(m.to, m) \/ Refused(m.to, m)
          /\ UNCHANGED <<term, vote, log, compacted, role, leader, votes>>
       \/ m.from \in voters[m.to] /\ ~Leads(m.to, m) /\ OnlyItsTerm(m.to, m)
    /\ Members
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* Snapshots *)

\* Node i makes a snapshot of what it has applied, which is all that it knows to be committed.
Compact(i) ==
    /\ commit[i] > compacted[i]
    /\ snapshots < MaxSnapshots
    /\ snapshots' = snapshots + 1
    /\ compacted' = [compacted EXCEPT ![i] = commit[i]]
    /\ UNCHANGED <<term, vote, log, commit, voters, role, leader, votes, progress, messages, requests, heartbeats, restarts, drops, duplicates, reports, changes>>

Restore(i, m) ==
    LET has == m.index <= Len(log[i]) /\ TermHere(i, m.index) = m.logTerm
        takes == m.index >= commit[i] /\ ~has
        c == Max(commit[i], m.index)
    IN
    /\ m.term >= term[i]
    /\ BecomeFollower(i, m.term, m.from)
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ log' = IF takes THEN [log EXCEPT ![i] = m.entries] ELSE log
    /\ compacted' = IF takes THEN [compacted EXCEPT ![i] = m.index] ELSE compacted
    /\ messages' = With(Without(messages, m), {[Blank("MsgAppendResponse", i, m.from, m.term) EXCEPT !.index = c]})

HandleSnapshot(m) ==
    /\ m \in Under("MsgSnapshot")
    /\ Stale(m.to, m, "MsgAppendResponse") \/ Restore(m.to, m)
    /\ Members
    /\ UNCHANGED counters

\* The network tells leader i whether its snapshot has reached node j. It may be wrong. The leader then waits for an answer or a heartbeat.
ReportSnapshot(i, j, reached) ==
    /\ role[i] = "Leader"
    /\ progress[i][j].state = "Snapshot"
    /\ reports < MaxReports
    /\ reports' = reports + 1
    /\ LET p == progress[i][j]
           next == Max(p.matched, IF reached THEN p.pending ELSE 0) + 1
       IN progress' = [progress EXCEPT ![i][j] = [p EXCEPT !.state = "Probe", !.paused = TRUE, !.pending = 0, !.next = next]]
    /\ UNCHANGED <<stored, voters, role, leader, votes, messages, requests, heartbeats, restarts, drops, duplicates, snapshots, changes>>

-----------------------------------------------------------------------------
(* Heartbeats *)

Heartbeat(i) ==
    /\ role[i] = "Leader"
    /\ heartbeats < MaxHeartbeats
    /\ heartbeats' = heartbeats + 1
    /\ messages' = With(messages,
           {[Blank("MsgHeartbeat", i, j, term[i]) EXCEPT !.commit = Min(commit[i], progress[i][j].matched)] : j \in DOMAIN progress[i]})
    /\ UNCHANGED <<stored, voters, role, leader, votes, progress, requests, restarts, drops, duplicates, snapshots, reports, changes>>

Beat(i, m) ==
    LET c == Max(commit[i], m.commit) IN
    /\ m.term >= term[i]
    /\ BecomeFollower(i, m.term, m.from)
    /\ commit' = [commit EXCEPT ![i] = c]
    /\ messages' = With(Without(messages, m), {AnswerSent([Blank("MsgHeartbeatResponse", i, m.from, m.term) EXCEPT !.commit = c])})
    /\ UNCHANGED <<log, compacted>>

HandleHeartbeat(m) ==
    /\ m \in Under("MsgHeartbeat")
    /\ Stale(m.to, m, "MsgAppendResponse") \/ Beat(m.to, m)
    /\ Members
    /\ UNCHANGED counters

Alive(i, m) ==
    LET p == [progress[i][m.from] EXCEPT !.paused = FALSE]
        known == [progress[i] EXCEPT ![m.from] = p]
    IN
    /\ Leads(i, m)
    /\ Broadcast(i, IF p.matched < Len(log[i]) THEN {m.from} ELSE {}, known, log[i], commit[i], Without(messages, m))
    /\ UNCHANGED <<stored, role, leader, votes>>

HandleHeartbeatResponse(m) ==
    /\ m \in Under("MsgHeartbeatResponse")
    /\ \/ ThrowAway(m.to, m)
       \/ m.from \in voters[m.to] /\ Alive(m.to, m)
       \/ m.from \in voters[m.to] /\ ~Leads(m.to, m) /\ OnlyItsTerm(m.to, m)
    /\ Members
    /\ UNCHANGED counters

-----------------------------------------------------------------------------
(* Members *)

\* Up to here leader i must have applied its log before it takes another change: its last change, or what it had when it was elected.
Pending(i) ==
    LET own == {k \in 1..Len(log[i]) : log[i][k].term = term[i]}
        isChange(k) == log[i][k].value \in Server
    IN CHOOSE k \in 0..Len(log[i]) :
        /\ \A n \in own : isChange(n) => n <= k
        /\ (k \in own /\ isChange(k)) \/ (k + 1 \in own /\ k \notin own)

\* A leader is asked to remove member j, or to add it again. If that is too early, it writes an empty entry instead.
ChangeMember(i, j) ==
    /\ role[i] = "Leader"
    /\ i \in voters[i]
    /\ j \notin voters[i] \/ Cardinality(voters[i]) > 2
    /\ changes < MaxChanges
    /\ changes' = changes + 1
    /\ LET value == IF Pending(i) > commit[i] THEN 0 ELSE j
           lg == Append(log[i], [term |-> term[i], value |-> value])
       IN /\ log' = [log EXCEPT ![i] = lg]
          /\ Broadcast(i, Others(i), progress[i], lg, commit[i], messages)
    /\ UNCHANGED <<term, vote, commit, compacted, voters, role, leader, votes, requests, heartbeats, restarts, drops, duplicates, snapshots, reports>>

-----------------------------------------------------------------------------
(* Faults *)

Restart(i) ==
    /\ restarts < MaxRestarts
    /\ restarts' = restarts + 1
    /\ BecomeFollower(i, term[i], Nil)
    /\ UNCHANGED <<log, commit, compacted, voters, messages, requests, heartbeats, drops, duplicates, snapshots, reports, changes>>

DropMessage(m) ==
    /\ m \in DOMAIN messages
    /\ drops < MaxDrops
    /\ drops' = drops + 1
    /\ messages' = Without(messages, m)
    /\ UNCHANGED <<stored, voters, role, leader, votes, progress, requests, heartbeats, restarts, duplicates, snapshots, reports, changes>>

DuplicateMessage(m) ==
    /\ m \in DOMAIN messages
    /\ duplicates < MaxDuplicates
    /\ duplicates' = duplicates + 1
    /\ messages' = With(messages, {m})
    /\ UNCHANGED <<stored, voters, role, leader, votes, progress, requests, heartbeats, restarts, drops, snapshots, reports, changes>>

-----------------------------------------------------------------------------
Init ==
    /\ term = [i \in Server |-> 0]
    /\ vote = [i \in Server |-> Nil]
    /\ log = [i \in Server |-> <<>>]
    /\ commit = [i \in Server |-> 0]
    /\ compacted = [i \in Server |-> 0]
    /\ voters = [i \in Server |-> Server]
    /\ role = [i \in Server |-> "Follower"]
    /\ leader = [i \in Server |-> Nil]
    /\ votes = [i \in Server |-> Nothing]
    /\ progress = [i \in Server |-> Nothing]
    /\ messages = <<>>
    /\ requests = 0
    /\ heartbeats = 0
    /\ restarts = 0
    /\ drops = 0
    /\ duplicates = 0
    /\ snapshots = 0
    /\ reports = 0
    /\ changes = 0

Next ==
    \/ \E i \in Server : Campaign(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i \in Server : Heartbeat(i)
    \/ \E i \in Server : Restart(i)
    \/ \E m \in DOMAIN messages : HandleRequestVote(m)
    \/ \E m \in DOMAIN messages : HandleRequestVoteResponse(m)
    \/ \E m \in DOMAIN messages : HandleAppend(m)
    \/ \E m \in DOMAIN messages : HandleAppendResponse(m)
    \/ \E m \in DOMAIN messages : HandleHeartbeat(m)
    \/ \E m \in DOMAIN messages : HandleHeartbeatResponse(m)
    \/ \E i \in Server : Compact(i)
    \/ \E m \in DOMAIN messages : HandleSnapshot(m)
    \/ \E i, j \in Server : ChangeMember(i, j)
    \/ \E i \in Server : \E j \in DOMAIN progress[i] : \E reached \in BOOLEAN : ReportSnapshot(i, j, reached)
    \/ \E m \in DOMAIN messages : DropMessage(m)
    \/ \E m \in DOMAIN messages : DuplicateMessage(m)

Spec == Init /\ [][Next]_vars

RECURSIVE Sum(_, _)
Sum(bag, ms) == IF ms = {} THEN 0 ELSE LET m == CHOOSE m \in ms : TRUE IN bag[m] + Sum(bag, ms \ {m})

FewInFlight == Sum(messages, DOMAIN messages) <= MaxInFlight

-----------------------------------------------------------------------------
OneLeader == \A i, j \in Server : role[i] = "Leader" /\ role[j] = "Leader" /\ term[i] = term[j] => i = j

LogMatching ==
    \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
        log[i][k].term = log[j][k].term => SubSeq(log[i], 1, k) = SubSeq(log[j], 1, k)

Committed ==
    \A i, j \in Server : \A k \in 1..Min(commit[i], commit[j]) : log[i][k] = log[j][k]

CommitInLog == \A i \in Server : compacted[i] <= commit[i] /\ commit[i] <= Len(log[i])
=============================================================================
