-------------------------------- MODULE Raft --------------------------------
(* Raft: leader election, log replication and log compaction, over a network that loses, repeats and reorders messages, among  *)
(* servers that crash and come back with what they had stored.                                                                 *)
(*                                                                                                                             *)
(* Each action is something that one server does in one go. Messages wait in a bag until an action takes them in. A message of *)
(* a newer term is not an action of its own: the handler that takes it in first takes over the term.                           *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Server,         \* who takes part
    Electable,      \* whose election timer may fire
    Fragile,        \* who may crash and restart
    Nil,            \* no vote
    NoOp,           \* the value of the entry with which a leader begins its term
    \* Bounds of the model:
    MaxTimeouts, MaxRequests, MaxAppends, MaxSnapshots, MaxRestarts, MaxDrops, MaxDuplicates,
    MaxFaults,      \* restarts, drops and duplicates together
    MaxInFlight,    \* messages under way when a server asks or sends of its own accord
    MaxAsked        \* servers that a candidate asks for a vote

Follower == "follower"
Candidate == "candidate"
Leader == "leader"

RequestVoteRequest == "RequestVoteRequest"
RequestVoteResponse == "RequestVoteResponse"
AppendEntriesRequest == "AppendEntriesRequest"
AppendEntriesResponse == "AppendEntriesResponse"
InstallSnapshotRequest == "InstallSnapshotRequest"

VARIABLES
    \* What a server stores before it answers anybody, and finds again after a crash.
    currentTerm, votedFor,
    log,                            \* the entries after the snapshot
    commitIndex,
    snapshotIndex, snapshotTerm,    \* the last entry that the snapshot has replaced
    \* What a server holds in memory. What belongs to a role is forgotten with the role.
    state,
    asked, votesGranted,            \* of a candidate: whom it has asked for a vote, who has given it one
    nextIndex, matchIndex,          \* of a leader: what to send to each server next, what it is known to have
    \* The network, and how often the model has done what it bounds.
    messages, count

termVars == <<currentTerm, votedFor>>
logVars == <<log, commitIndex>>
snapshotVars == <<snapshotIndex, snapshotTerm>>
roleVars == <<state, asked, votesGranted, nextIndex, matchIndex>>
vars == <<termVars, logVars, snapshotVars, roleVars, messages, count>>

-----------------------------------------------------------------------------
(* Logs. Indices count from 1 and go on counting where the snapshot ends. *)

LastIndex(i) == snapshotIndex[i] + Len(log[i])
Entry(i, k) == log[i][k - snapshotIndex[i]]
TermAt(i, k) == IF k = snapshotIndex[i] THEN snapshotTerm[i] ELSE Entry(i, k).term
LastTerm(i) == TermAt(i, LastIndex(i))
EntriesFrom(i, k) == SubSeq(log[i], k - snapshotIndex[i], Len(log[i]))

Majorities == {Q \in SUBSET Server : 2 * Cardinality(Q) > Cardinality(Server)}
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

(* Messages: how many there are of each; those of which there are none are not listed. *)

Put(bag, m) == IF m \in DOMAIN bag THEN [bag EXCEPT ![m] = @ + 1] ELSE bag @@ (m :> 1)
Take(bag, m) == IF bag[m] > 1 THEN [bag EXCEPT ![m] = @ - 1] ELSE [n \in DOMAIN bag \ {m} |-> bag[n]]
Send(m) == messages' = Put(messages, m)
Discard(m) == messages' = Take(messages, m)
Reply(m, answer) == messages' = Put(Take(messages, m), answer)

Counted(what) == count' = [count EXCEPT ![what] = @ + 1]
NetworkFree == Cardinality(DOMAIN messages) < MaxInFlight
FaultsLeft == count.restarts + count.drops + count.duplicates < MaxFaults

(* Roles. *)

NobodyKnown == [j \in Server |-> 0]

BecomeFollower(i) ==
    /\ state' = [state EXCEPT ![i] = Follower]
    /\ asked' = [asked EXCEPT ![i] = {}]
    /\ votesGranted' = [votesGranted EXCEPT ![i] = {}]
    /\ nextIndex' = [nextIndex EXCEPT ![i] = NobodyKnown]
    /\ matchIndex' = [matchIndex EXCEPT ![i] = NobodyKnown]

(* What a term t in a message does to server i. *)

Newer(i, t) == t > currentTerm[i]
TermAfter(i, t) == IF Newer(i, t) THEN t ELSE currentTerm[i]
VoteAfter(i, t) == IF Newer(i, t) THEN Nil ELSE votedFor[i]
TakeOverTerm(i, t) ==
    /\ currentTerm' = [currentTerm EXCEPT ![i] = TermAfter(i, t)]
    /\ votedFor' = [votedFor EXCEPT ![i] = VoteAfter(i, t)]

-----------------------------------------------------------------------------
Init ==
    /\ currentTerm = [i \in Server |-> 0]
    /\ votedFor = [i \in Server |-> Nil]
    /\ log = [i \in Server |-> <<>>]
    /\ commitIndex = [i \in Server |-> 0]
    /\ snapshotIndex = [i \in Server |-> 0]
    /\ snapshotTerm = [i \in Server |-> 0]
    /\ state = [i \in Server |-> Follower]
    /\ asked = [i \in Server |-> {}]
    /\ votesGranted = [i \in Server |-> {}]
    /\ nextIndex = [i \in Server |-> NobodyKnown]
    /\ matchIndex = [i \in Server |-> NobodyKnown]
    /\ messages = <<>>
    /\ count = [timeouts |-> 0, requests |-> 0, appends |-> 0, snapshots |-> 0, restarts |-> 0, drops |-> 0, duplicates |-> 0]

-----------------------------------------------------------------------------
(* Election. *)

(* Server i has not heard of a leader, or of enough votes, for too long: it stands for election and votes for itself. *)
Timeout(i) ==
    /\ i \in Electable
    /\ state[i] \in {Follower, Candidate}
    /\ count.timeouts < MaxTimeouts
    /\ currentTerm' = [currentTerm EXCEPT ![i] = @ + 1]
    /\ votedFor' = [votedFor EXCEPT ![i] = i]
    /\ state' = [state EXCEPT ![i] = Candidate]
    /\ asked' = [asked EXCEPT ![i] = {i}]
    /\ votesGranted' = [votesGranted EXCEPT ![i] = {i}]
    /\ Counted("timeouts")
    /\ UNCHANGED <<nextIndex, matchIndex, logVars, snapshotVars, messages>>

(* Candidate i asks j for its vote, once. *)
RequestVote(i, j) ==
    /\ state[i] = Candidate
    /\ j \notin asked[i]
    /\ NetworkFree /\ Cardinality(asked[i]) <= MaxAsked
    /\ asked' = [asked EXCEPT ![i] = @ \union {j}]
    /\ Send([mtype |-> RequestVoteRequest, mterm |-> currentTerm[i], mlastLogTerm |-> LastTerm(i), mlastLogIndex |-> LastIndex(i),
             msource |-> i, mdest |-> j])
    /\ UNCHANGED <<state, votesGranted, nextIndex, matchIndex, termVars, logVars, snapshotVars, count>>

(* The log of m's sender is at least as good as that of server i. *)
UpToDate(m, i) ==
    \/ m.mlastLogTerm > LastTerm(i)
    \/ m.mlastLogTerm = LastTerm(i) /\ m.mlastLogIndex >= LastIndex(i)

HandleRequestVoteRequest(m) ==
    LET i == m.mdest
        grant == m.mterm >= currentTerm[i] /\ VoteAfter(i, m.mterm) \in {Nil, m.msource} /\ UpToDate(m, i)
    IN  /\ m.mtype = RequestVoteRequest
        /\ currentTerm' = [currentTerm EXCEPT ![i] = TermAfter(i, m.mterm)]
        /\ votedFor' = [votedFor EXCEPT ![i] = IF grant THEN m.msource ELSE VoteAfter(i, m.mterm)]
        /\ IF Newer(i, m.mterm) THEN BecomeFollower(i) ELSE UNCHANGED roleVars
        /\ Reply(m, [mtype |-> RequestVoteResponse, mterm |-> TermAfter(i, m.mterm), mvoteGranted |-> grant,
                     msource |-> i, mdest |-> m.msource])
        /\ UNCHANGED <<logVars, snapshotVars, count>>

(* A vote counts for a candidate; anybody else only takes over the term. *)
HandleRequestVoteResponse(m) ==
    LET i == m.mdest IN
    /\ m.mtype = RequestVoteResponse
    /\ m.mterm >= currentTerm[i]
    /\ TakeOverTerm(i, m.mterm)
    /\ IF Newer(i, m.mterm) THEN BecomeFollower(i)
       ELSE IF state[i] = Candidate /\ m.mvoteGranted
       THEN /\ votesGranted' = [votesGranted EXCEPT ![i] = @ \union {m.msource}]
            /\ UNCHANGED <<state, asked, nextIndex, matchIndex>>
       ELSE UNCHANGED roleVars
    /\ Discard(m)
    /\ UNCHANGED <<logVars, snapshotVars, count>>

(* An answer to a question of an earlier term says nothing any more. *)
DropStaleResponse(m) ==
    /\ m.mtype \in {RequestVoteResponse, AppendEntriesResponse}
    /\ m.mterm < currentTerm[m.mdest]
    /\ Discard(m)
    /\ UNCHANGED <<termVars, logVars, snapshotVars, roleVars, count>>

(* Candidate i has a majority. It writes an entry of its term, without which it could never know what is committed. *)
BecomeLeader(i) ==
    /\ state[i] = Candidate
    /\ votesGranted[i] \in Majorities
    /\ state' = [state EXCEPT ![i] = Leader]
    /\ asked' = [asked EXCEPT ![i] = {}]
    /\ votesGranted' = [votesGranted EXCEPT ![i] = {}]
    /\ nextIndex' = [nextIndex EXCEPT ![i] = [j \in Server |-> LastIndex(i) + 1]]
    /\ matchIndex' = [matchIndex EXCEPT ![i] = [j \in Server |-> IF j = i THEN LastIndex(i) + 1 ELSE 0]]
    /\ log' = [log EXCEPT ![i] = Append(@, [term |-> currentTerm[i], value |-> NoOp])]
    /\ UNCHANGED <<termVars, commitIndex, snapshotVars, messages, count>>

-----------------------------------------------------------------------------
(* Replication. *)

(* Leader i writes a value for a client. *)
Write(i, value) ==
    /\ state[i] = Leader
    /\ log' = [log EXCEPT ![i] = Append(@, [term |-> currentTerm[i], value |-> value])]
    /\ matchIndex' = [matchIndex EXCEPT ![i][i] = LastIndex(i) + 1]
    /\ Counted("requests")
    /\ UNCHANGED <<termVars, commitIndex, snapshotVars, state, asked, votesGranted, nextIndex, messages>>

(* A client asks leader i to write a value: the next number. *)
ClientRequest(i) ==
    /\ count.requests < MaxRequests
    /\ Write(i, count.requests + 1)

(* Leader i sends j the entries that j is not known to have: none, if there are none. *)
AppendEntries(i, j) ==
    LET prev == nextIndex[i][j] - 1 IN
    /\ state[i] = Leader
    /\ i # j
    /\ prev >= snapshotIndex[i]
    /\ NetworkFree /\ count.appends < MaxAppends
    /\ Send([mtype |-> AppendEntriesRequest, mterm |-> currentTerm[i], mprevLogIndex |-> prev, mprevLogTerm |-> TermAt(i, prev),
             mentries |-> EntriesFrom(i, prev + 1), mcommitIndex |-> commitIndex[i], msource |-> i, mdest |-> j])
    /\ Counted("appends")
    /\ UNCHANGED <<termVars, logVars, snapshotVars, roleVars>>

(* Server i has the entry before those of m. What its snapshot has replaced is committed, so it has that too. *)
HasPrevious(i, m) ==
    \/ m.mprevLogIndex <= snapshotIndex[i]
    \/ m.mprevLogIndex <= LastIndex(i) /\ TermAt(i, m.mprevLogIndex) = m.mprevLogTerm

(* The log of server i after the entries of m: what is there already stays, what contradicts them goes with all that follows. *)
LogWith(i, m) ==
    LET NewEntry(k) == m.mentries[k - m.mprevLogIndex]
        end == m.mprevLogIndex + Len(m.mentries)
        contradicts == \E k \in (Max(m.mprevLogIndex, snapshotIndex[i]) + 1) .. Min(end, LastIndex(i)) :
                           Entry(i, k).term # NewEntry(k).term
        last == IF contradicts THEN end ELSE Max(end, LastIndex(i))
    IN  [n \in 1 .. last - snapshotIndex[i] |->
            LET k == n + snapshotIndex[i] IN IF k > m.mprevLogIndex /\ k <= end THEN NewEntry(k) ELSE Entry(i, k)]

Answer(m, term, success, index) ==
    [mtype |-> AppendEntriesResponse, mterm |-> term, msuccess |-> success, mmatchIndex |-> index,
     msource |-> m.mdest, mdest |-> m.msource]

(* A candidate that hears of the leader of its term answers it at once. MissingReply says otherwise. *)
CandidateAnswersAtOnce == TRUE

HandleAppendEntriesRequest(m) ==
    LET i == m.mdest
        end == m.mprevLogIndex + Len(m.mentries)
    IN  /\ m.mtype = AppendEntriesRequest
        /\ \/ \* From a leader of old: not accepted.
              /\ m.mterm < currentTerm[i]
              /\ Reply(m, Answer(m, currentTerm[i], FALSE, 0))
              /\ UNCHANGED <<termVars, logVars, roleVars>>
           \/ \* From the leader to a candidate that has lost: it returns to the followers before anything else.
              /\ ~CandidateAnswersAtOnce
              /\ m.mterm = currentTerm[i] /\ state[i] = Candidate
              /\ BecomeFollower(i)
              /\ UNCHANGED <<termVars, logVars, messages>>
           \/ \* From the leader.
              /\ m.mterm >= currentTerm[i]
              /\ CandidateAnswersAtOnce \/ Newer(i, m.mterm) \/ state[i] = Follower
              /\ TakeOverTerm(i, m.mterm)
              /\ BecomeFollower(i)
              /\ IF HasPrevious(i, m)
                 THEN /\ log' = [log EXCEPT ![i] = LogWith(i, m)]
                      /\ commitIndex' = [commitIndex EXCEPT ![i] = Max(@, Min(m.mcommitIndex, end))]
                      /\ Reply(m, Answer(m, TermAfter(i, m.mterm), TRUE, end))
                 ELSE /\ Reply(m, Answer(m, TermAfter(i, m.mterm), FALSE, Min(LastIndex(i), m.mprevLogIndex - 1)))
                      /\ UNCHANGED logVars
        /\ UNCHANGED <<snapshotVars, count>>

(* A follower says up to where its log is that of the leader, or up to where it may be. *)
HandleAppendEntriesResponse(m) ==
    LET i == m.mdest
        j == m.msource
    IN  /\ m.mtype = AppendEntriesResponse
        /\ m.mterm >= currentTerm[i]
        /\ TakeOverTerm(i, m.mterm)
        /\ IF Newer(i, m.mterm) THEN BecomeFollower(i)
           ELSE IF state[i] = Leader
           THEN /\ IF m.msuccess
                   THEN /\ matchIndex' = [matchIndex EXCEPT ![i][j] = Max(@, m.mmatchIndex)]
                        /\ nextIndex' = [nextIndex EXCEPT ![i][j] = Max(@, m.mmatchIndex + 1)]
                   ELSE /\ nextIndex' = [nextIndex EXCEPT ![i][j] = Max(matchIndex[i][j] + 1, Min(@, m.mmatchIndex + 1))]
                        /\ UNCHANGED matchIndex
                /\ UNCHANGED <<state, asked, votesGranted>>
           ELSE UNCHANGED roleVars
        /\ Discard(m)
        /\ UNCHANGED <<logVars, snapshotVars, count>>

(* Leader i commits what a majority has, if the last of it is of its own term. *)
AdvanceCommitIndex(i) ==
    LET agreed == {k \in commitIndex[i] + 1 .. LastIndex(i) : {j \in Server : matchIndex[i][j] >= k} \in Majorities}
    IN  /\ state[i] = Leader
        /\ \E k \in agreed :
              /\ \A l \in agreed : l <= k
              /\ TermAt(i, k) = currentTerm[i]
              /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
        /\ UNCHANGED <<termVars, log, snapshotVars, roleVars, messages, count>>

-----------------------------------------------------------------------------
(* Compaction. *)

(* Server i replaces all committed entries by a snapshot. *)
TakeSnapshot(i) ==
    /\ commitIndex[i] > snapshotIndex[i]
    /\ count.snapshots < MaxSnapshots
    /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = commitIndex[i]]
    /\ snapshotTerm' = [snapshotTerm EXCEPT ![i] = TermAt(i, commitIndex[i])]
    /\ log' = [log EXCEPT ![i] = EntriesFrom(i, commitIndex[i] + 1)]
    /\ Counted("snapshots")
    /\ UNCHANGED <<termVars, commitIndex, roleVars, messages>>

(* Leader i sends its snapshot to j, who lacks entries that i has no longer. *)
InstallSnapshot(i, j) ==
    /\ state[i] = Leader
    /\ i # j
    /\ nextIndex[i][j] <= snapshotIndex[i]
    /\ NetworkFree /\ count.appends < MaxAppends
    /\ Send([mtype |-> InstallSnapshotRequest, mterm |-> currentTerm[i], mlastIndex |-> snapshotIndex[i],
             mlastTerm |-> snapshotTerm[i], msource |-> i, mdest |-> j])
    /\ Counted("appends")
    /\ UNCHANGED <<termVars, logVars, snapshotVars, roleVars>>

(* A snapshot of what server i has committed itself is no news. Else entries stay only if they follow the snapshot's last one. *)
HandleInstallSnapshotRequest(m) ==
    LET i == m.mdest
        follows == m.mlastIndex <= LastIndex(i) /\ TermAt(i, m.mlastIndex) = m.mlastTerm
    IN  /\ m.mtype = InstallSnapshotRequest
        /\ IF m.mterm < currentTerm[i]
           THEN /\ Reply(m, Answer(m, currentTerm[i], FALSE, 0))
                /\ UNCHANGED <<termVars, logVars, snapshotVars, roleVars>>
           ELSE /\ TakeOverTerm(i, m.mterm)
                /\ BecomeFollower(i)
                /\ IF m.mlastIndex <= commitIndex[i]
                   THEN UNCHANGED <<logVars, snapshotVars>>
                   ELSE /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = m.mlastIndex]
                        /\ snapshotTerm' = [snapshotTerm EXCEPT ![i] = m.mlastTerm]
                        /\ commitIndex' = [commitIndex EXCEPT ![i] = m.mlastIndex]
                        /\ log' = [log EXCEPT ![i] = IF follows THEN EntriesFrom(i, m.mlastIndex + 1) ELSE <<>>]
                /\ Reply(m, Answer(m, TermAfter(i, m.mterm), TRUE, m.mlastIndex))
        /\ UNCHANGED count

-----------------------------------------------------------------------------
(* Faults. *)

(* Server i crashes and starts again from what it has stored. *)
Restart(i) ==
    /\ i \in Fragile
    /\ FaultsLeft /\ count.restarts < MaxRestarts
    /\ BecomeFollower(i)
    /\ Counted("restarts")
    /\ UNCHANGED <<termVars, logVars, snapshotVars, messages>>

DropMessage(m) ==
    /\ FaultsLeft /\ count.drops < MaxDrops
    /\ Discard(m)
    /\ Counted("drops")
    /\ UNCHANGED <<termVars, logVars, snapshotVars, roleVars>>

DuplicateMessage(m) ==
    /\ FaultsLeft /\ count.duplicates < MaxDuplicates
    /\ Send(m)
    /\ Counted("duplicates")
    /\ UNCHANGED <<termVars, logVars, snapshotVars, roleVars>>

-----------------------------------------------------------------------------
Next ==
    \/ \E i \in Server : Timeout(i)
    \/ \E i, j \in Server : RequestVote(i, j)
    \/ \E m \in DOMAIN messages : HandleRequestVoteRequest(m)
    \/ \E m \in DOMAIN messages : HandleRequestVoteResponse(m)
    \/ \E m \in DOMAIN messages : DropStaleResponse(m)
    \/ \E i \in Server : BecomeLeader(i)
    \/ \E i \in Server : ClientRequest(i)
    \/ \E i, j \in Server : AppendEntries(i, j)
    \/ \E m \in DOMAIN messages : HandleAppendEntriesRequest(m)
    \/ \E m \in DOMAIN messages : HandleAppendEntriesResponse(m)
    \/ \E i \in Server : AdvanceCommitIndex(i)
    \/ \E i \in Server : TakeSnapshot(i)
    \/ \E i, j \in Server : InstallSnapshot(i, j)
    \/ \E m \in DOMAIN messages : HandleInstallSnapshotRequest(m)
    \/ \E i \in Server : Restart(i)
    \/ \E m \in DOMAIN messages : DropMessage(m)
    \/ \E m \in DOMAIN messages : DuplicateMessage(m)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What Raft promises. *)

(* No two leaders in one term. *)
ElectionSafety ==
    \A i, j \in Server : state[i] = Leader /\ state[j] = Leader /\ currentTerm[i] = currentTerm[j] => i = j

BothHave(i, j) == (Max(snapshotIndex[i], snapshotIndex[j]) + 1) .. Min(LastIndex(i), LastIndex(j))

(* Two logs that have an entry of the same term at an index are equal up to there. *)
LogMatching ==
    \A i, j \in Server : \A k \in BothHave(i, j) :
        TermAt(i, k) = TermAt(j, k) => \A l \in BothHave(i, j) : l <= k => Entry(i, l) = Entry(j, l)

(* What anybody has committed is in the log of the leader of the newest term. *)
LeaderCompleteness ==
    \A i, j \in Server : state[i] = Leader /\ (\A n \in Server : currentTerm[n] <= currentTerm[i]) =>
        /\ LastIndex(i) >= commitIndex[j]
        /\ \A k \in BothHave(i, j) : k <= commitIndex[j] => Entry(i, k) = Entry(j, k)

(* No two servers have applied different entries at an index. *)
StateMachineSafety ==
    \A i, j \in Server : \A k \in BothHave(i, j) : k <= commitIndex[i] /\ k <= commitIndex[j] => Entry(i, k) = Entry(j, k)

(* Nobody commits or replaces what it does not have. *)
IndicesInOrder ==
    \A i \in Server : snapshotIndex[i] <= commitIndex[i] /\ commitIndex[i] <= LastIndex(i)
=============================================================================
