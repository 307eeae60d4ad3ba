------------------------------ MODULE Recovery ------------------------------
(* What ZooKeeper does after an election (Zab): the leader and its followers agree on a new epoch (discovery), the followers get the  *)
(* leader's history (synchronization), and then the leader's transactions (broadcast). Elections are one step: whoever has the        *)
(* highest epoch and the last transaction wins.                                                                                       *)
(*                                                                                                                                    *)
(* Constants say where an implementation departs from the design. With FALSE, this is the design; with TRUE, ZooKeeper 3.8.0. LogLast  *)
(* and KeepSnap are of releases before 3.6.2, ZxidFirst and NoForward of those before 3.4.12, and ForwardFirst is 3.4.14. LoadOnly,   *)
(* SayFirst and Repairs are how releases before 3.5 do it, LoadAgain and SaveDiff how 3.4.6 does.                                     *)
(*                                                                                                                                    *)
(* Zxids are written with one digit for the epoch: 12 is the second transaction of epoch 1, and 20 stands for the beginning of epoch 2. *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Server,         \* "n1", "n2" and so on; of servers that are equal otherwise, the highest number wins
    First,          \* the server that looks for a leader first: one that takes part in each election
    Epoch,          \* of each server: its epoch at first
    History,        \* of each server: its log at first
    MaxWrites,      \* how many transactions clients ask for
    Stops,          \* servers that may be stopped for a while
    MaxRestarts,    \* how often servers crash and start again
    MaxBreaks,      \* how often the connection between a follower and its leader breaks
    EpochFirst,     \* a follower writes the new epoch before it has written the leader's history to its log
    AckFirst,       \* a follower acknowledges the new leader before it has written the leader's history to its log
    AnyAck,         \* a leader takes the acknowledgement of a transaction for that of its leadership
    NoCommit,       \* a follower fails if a commit comes between the new leader and the end of synchronization
    ServeFirst,     \* a follower says that it is up to date, and serves, before its tree is
    LeaveFirst,     \* a follower that has lost its leader does not wait until its log is written
    LogLast,        \* a follower begins to write the leader's history to its log when it serves, if EpochFirst
    ZxidFirst,      \* a follower that shall get a diff takes its last transaction for its own before it has it
    NoForward,      \* a server that stops does not apply what its log has
    ForwardFirst,   \* it does, but before the last of it is written
    KeepSnap,       \* a follower that loses its leader keeps a snapshot that it has not saved
    LoadOnly,       \* a server that begins to lead saves nothing
    SayFirst,       \* a leader says DIFF or TRUNC at once, and only the rest goes through its queue
    SaveDiff,       \* a follower applies a diff as it comes, as it does after a snapshot, and saves its tree
    LoadAgain,      \* a follower that loses its leader throws its tree away, whatever is in it
    Repairs,        \* a server that has crashed before it wrote the epoch of what it has saved writes it when it starts
    Nobody

VARIABLES
    mode,       \* of each server: what its main thread is about to do
    phase,      \* of each server: ELECTION, DISCOVERY, SYNCHRONIZATION or BROADCAST
    leader,     \* of each server: whom it follows; itself if it leads
    accepted,   \* of each server, on disk: the last epoch that it has promised to take part in
    current,    \* of each server, on disk: the last epoch whose leader it has acknowledged
    log,        \* of each server, on disk: its transactions
    disk,       \* of each server: the last of these
    saved,      \* of each server, on disk: the last transaction in its snapshot
    applied,    \* of each server: the last transaction in its tree
    unlogged,   \* of each server: transactions that are on their way to the disk
    late,       \* of each server: the same, but that it has lost the leader it had them from
    way,        \* of each follower: DIFF, TRUNC or SNAP, until it hears of the new leader
    got,        \* of each follower: transactions that it has got while it synchronizes
    commits,    \* of each follower: those of them that are committed
    stage,      \* of each follower: what its leader waits for
    queue,      \* of each follower: what its leader will send to it
    proposal,   \* of each leader: the transaction that waits to be committed, and who has it
    messages,   \* what is under way
    committed,  \* all transactions that were ever committed
    writes,     \* how many transactions there have been
    restarts,   \* how often servers have crashed
    breaks      \* how often connections have broken

(* What servers have on their disks at first. *)
AllOne == [i \in Server |-> 1]
FirstOne == [i \in Server |-> IF i = First THEN 1 ELSE 2]
Behind == [i \in Server |-> IF i = First THEN <<11>> ELSE <<11, 12>>]
Ahead == [i \in Server |-> IF i = First THEN <<11, 12>> ELSE <<11>>]
Older == [i \in Server |-> IF i = First THEN <<11>> ELSE <<11, 21>>]
Empty == [i \in Server |-> IF i = First THEN <<>> ELSE <<11>>]
OldEmpty == [i \in Server |-> IF i = First THEN <<>> ELSE <<11, 21>>]
Same == [i \in Server |-> <<11>>]

mainVars == <<mode, phase, leader>>
diskVars == <<accepted, current, log, disk, saved>>
memoryVars == <<applied, unlogged, late, way, got, commits>>
leaderVars == <<stage, queue, proposal>>
counters == <<committed, writes, restarts, breaks>>
vars == <<mainVars, diskVars, memoryVars, leaderVars, messages, counters>>

-----------------------------------------------------------------------------
Number == [i \in Server |-> CHOOSE k \in 1 .. 9 : "n" \o ToString(k) = i]
EpochOf(zxid) == zxid \div 10
Last(list) == IF list = <<>> THEN 0 ELSE list[Len(list)]
LastOf(list) == IF list = <<>> THEN -1 ELSE Last(list) \* as a server that has no log says it
Elements(list) == {list[k] : k \in 1 .. Len(list)}
None == [zxid |-> 0, acks |-> {}]
IsQuorum(Q) == 2 * Cardinality(Q) > Cardinality(Server)
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

Packet(kind, i, j, zxid) == [kind |-> kind, from |-> i, to |-> j, zxid |-> zxid]

(* A connection carries one packet at a time, to a server that reads. *)
Free(i, j) == \A m \in messages : ~(m.from = i /\ m.to = j)

Followers(i) == {j \in Server \ {i} : leader[j] = i /\ stage[j] # ""}
(* What a server finds on its disk when it starts. *)
Loaded(i) == Max(saved[i], Last(log[i]))

(* What it has when it looks for a leader. If it has thrown its tree away, it loads it again. *)
Has(i) == IF applied[i] = 0 THEN Loaded(i) ELSE applied[i]

Better(i, j) ==
    \/ current[i] > current[j]
    \/ current[i] = current[j] /\ Has(i) > Has(j)
    \/ current[i] = current[j] /\ Has(i) = Has(j) /\ Number[i] > Number[j]

-----------------------------------------------------------------------------
(* Initially nobody looks for a leader. What a quorum has is committed. *)
Init ==
    /\ mode = [i \in Server |-> "starts"]
    /\ phase = [i \in Server |-> "ELECTION"]
    /\ leader = [i \in Server |-> Nobody]
    /\ accepted = Epoch
    /\ current = Epoch
    /\ log = History
    /\ disk = [i \in Server |-> LastOf(History[i])]
    /\ saved = [i \in Server |-> 0]
    /\ applied = [i \in Server |-> Last(History[i])]
    /\ unlogged = [i \in Server |-> <<>>]
    /\ late = [i \in Server |-> <<>>]
    /\ way = [i \in Server |-> ""]
    /\ got = [i \in Server |-> <<>>]
    /\ commits = [i \in Server |-> <<>>]
    /\ stage = [i \in Server |-> ""]
    /\ queue = [i \in Server |-> <<>>]
    /\ proposal = [i \in Server |-> None]
    /\ messages = {}
    /\ committed = {z \in UNION {Elements(History[i]) : i \in Server} : IsQuorum({i \in Server : z \in Elements(History[i])})}
    /\ writes = 0
    /\ restarts = 0
    /\ breaks = 0

-----------------------------------------------------------------------------
(* Elections. *)

(* Server i looks for a leader. If the first server looks for one, too, the two of them find one; if there is a leader already, server i   *)
(* hears of it.                                                                                                                            *)
LookForLeader(i) ==
    /\ mode[i] = "starts"
    /\ queue[i] = <<>> \* nobody can tell a former leader's thread from the next one's
    /\ applied' = [applied EXCEPT ![i] = Has(i)]
    /\ IF i = First
       THEN /\ mode' = [mode EXCEPT ![i] = "looks"]
            /\ UNCHANGED <<leader, messages>>
       ELSE \/ /\ mode[First] = "looks"
               /\ LET winner == IF Better(i, First) THEN i ELSE First
                  IN  /\ leader' = [leader EXCEPT ![i] = winner, ![First] = winner]
                      /\ messages' = messages \union {Packet("ELECTED", winner, First, 0)}
               /\ mode' = [mode EXCEPT ![i] = "elected", ![First] = "hears"]
            \/ /\ phase[First] = "BROADCAST" /\ mode[First] = "runs" /\ leader[First] # First
               /\ leader' = [leader EXCEPT ![i] = leader[First]]
               /\ mode' = [mode EXCEPT ![i] = "elected"]
               /\ UNCHANGED messages
    /\ UNCHANGED <<phase, diskVars, unlogged, late, way, got, commits, leaderVars, counters>>

(* The first server hears that there is a leader. *)
Elected(m) ==
    /\ m.kind = "ELECTED"
    /\ mode' = [mode EXCEPT ![m.to] = "elected"]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<phase, leader, diskVars, memoryVars, leaderVars, counters>>

Lead(i) ==
    /\ mode[i] = "elected" /\ leader[i] = i
    /\ mode' = [mode EXCEPT ![i] = "runs"]
    /\ phase' = [phase EXCEPT ![i] = "DISCOVERY"]
    /\ saved' = [saved EXCEPT ![i] = IF LoadOnly THEN @ ELSE applied[i]]
    /\ UNCHANGED <<leader, accepted, current, log, disk, memoryVars, leaderVars, messages, counters>>

(* A follower connects to its leader. *)
Follow(i) ==
    /\ mode[i] = "elected" /\ leader[i] # i
    /\ mode[leader[i]] = "runs"
    /\ mode' = [mode EXCEPT ![i] = "runs"]
    /\ phase' = [phase EXCEPT ![i] = "DISCOVERY"]
    /\ stage' = [stage EXCEPT ![i] = "info"]
    /\ messages' = messages \union {Packet("FOLLOWERINFO", i, leader[i], 10 * accepted[i])}
    /\ UNCHANGED <<leader, diskVars, memoryVars, queue, proposal, counters>>

-----------------------------------------------------------------------------
(* Discovery. *)

OnFollowerInfo(m) ==
    /\ m.kind = "FOLLOWERINFO"
    /\ LET i == m.to
           \* The first follower makes a quorum.
           epoch == IF stage[m.from] = "info" /\ phase[i] = "DISCOVERY" /\ \A j \in Followers(i) : stage[j] = "info"
                    THEN Max(accepted[i], EpochOf(m.zxid)) + 1
                    ELSE accepted[i]
       IN  /\ accepted' = [accepted EXCEPT ![i] = epoch]
           /\ stage' = [stage EXCEPT ![m.from] = "epoch"]
           /\ messages' = (messages \ {m}) \union {Packet("LEADERINFO", i, m.from, 10 * epoch)}
    /\ UNCHANGED <<mainVars, current, log, disk, saved, memoryVars, queue, proposal, counters>>

OnLeaderInfo(m) ==
    /\ m.kind = "LEADERINFO"
    /\ LET i == m.to
       IN  /\ accepted' = [accepted EXCEPT ![i] = EpochOf(m.zxid)]
           /\ phase' = [phase EXCEPT ![i] = "SYNCHRONIZATION"]
           /\ messages' = (messages \ {m}) \union {Packet("ACKEPOCH", i, m.from, applied[i])}
    /\ UNCHANGED <<mode, leader, current, log, disk, saved, memoryVars, leaderVars, counters>>

(* What a leader sends to a follower that has all until a zxid. *)
RECURSIVE Committed(_, _, _)
Committed(i, j, list) ==
    IF list = <<>> THEN <<>>
    ELSE <<Packet("PROPOSAL", i, j, Head(list)), Packet("COMMIT", i, j, Head(list))>> \o Committed(i, j, Tail(list))

SyncOf(i, j, zxid) ==
    LET known == SelectSeq(log[i], LAMBDA z : z # proposal[i].zxid)
        newer == SelectSeq(known, LAMBDA z : z > zxid)
        outstanding == IF proposal[i] = None THEN <<>> ELSE <<Packet("PROPOSAL", i, j, proposal[i].zxid)>>
        start == CASE zxid > Last(known) -> <<Packet("TRUNC", i, j, Last(known))>>
                   [] zxid \in Elements(known) -> <<Packet("DIFF", i, j, Last(known))>>
                   [] OTHER -> <<>>
    IN  start \o (IF start = <<>> THEN <<>> ELSE Committed(i, j, newer)) \o outstanding \o <<Packet("NEWLEADER", i, j, 10 * accepted[i])>>

(* A follower whose last transaction is nowhere in the leader's log gets a snapshot. *)
NeedsSnapshot(i, zxid) == zxid <= Last(log[i]) /\ zxid \notin Elements(log[i])

OnAckEpoch(m) ==
    /\ m.kind = "ACKEPOCH"
    /\ LET i == m.to
           left == messages \ {m}
           packets == SyncOf(i, m.from, m.zxid)
           start == CASE NeedsSnapshot(i, m.zxid) -> {Packet("SNAP", i, m.from, applied[i])}
                      [] ~NeedsSnapshot(i, m.zxid) /\ SayFirst -> {Head(packets)}
                      [] OTHER -> {}
       IN  /\ current' = [current EXCEPT ![i] = accepted[i]]
           /\ phase' = [phase EXCEPT ![i] = IF @ = "DISCOVERY" THEN "SYNCHRONIZATION" ELSE @]
           /\ queue' = [queue EXCEPT ![m.from] = IF Head(packets) \in start THEN Tail(packets) ELSE packets]
           /\ messages' = left \union start
    /\ stage' = [stage EXCEPT ![m.from] = "newleader"]
    /\ UNCHANGED <<mode, leader, accepted, log, disk, saved, memoryVars, proposal, counters>>

-----------------------------------------------------------------------------
(* Synchronization. *)

(* Leader i sends the next packet to server j. If j has left, nobody gets it, and the leader's thread ends. *)
Send(i, j) ==
    /\ queue[j] # <<>> /\ Head(queue[j]).from = i
    /\ \/ /\ stage[j] # ""
          /\ Free(i, j) /\ mode[j] = "runs"
          /\ messages' = messages \union {Head(queue[j])}
       \/ /\ stage[j] = ""
          /\ UNCHANGED messages
    /\ queue' = [queue EXCEPT ![j] = Tail(@)]
    /\ UNCHANGED <<mainVars, diskVars, memoryVars, stage, proposal, counters>>

OnDiff(m) ==
    /\ m.kind = "DIFF"
    /\ way' = [way EXCEPT ![m.to] = IF SaveDiff THEN "TRUNC" ELSE "DIFF"] \* what it does is the same then
    /\ applied' = [applied EXCEPT ![m.to] = IF ZxidFirst THEN m.zxid ELSE @]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<mainVars, diskVars, unlogged, late, got, commits, leaderVars, counters>>

OnTrunc(m) ==
    /\ m.kind = "TRUNC"
    /\ LET kept == SelectSeq(log[m.to], LAMBDA z : z <= m.zxid)
       IN  /\ log' = [log EXCEPT ![m.to] = kept]
           /\ disk' = [disk EXCEPT ![m.to] = LastOf(kept)]
           /\ applied' = [applied EXCEPT ![m.to] = m.zxid]
    /\ way' = [way EXCEPT ![m.to] = "TRUNC"]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<mainVars, accepted, current, saved, unlogged, late, got, commits, leaderVars, counters>>

OnSnap(m) ==
    /\ m.kind = "SNAP"
    /\ applied' = [applied EXCEPT ![m.to] = m.zxid]
    /\ way' = [way EXCEPT ![m.to] = "SNAP"]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<mainVars, diskVars, unlogged, late, got, commits, leaderVars, counters>>

Logged(i, list) ==
    /\ log' = [log EXCEPT ![i] = @ \o list]
    /\ disk' = [disk EXCEPT ![i] = IF list = <<>> THEN @ ELSE Last(list)]

(* The follower writes what is committed of the leader's history to its log, and then to its tree. After a snapshot, or if it has given   *)
(* something up, it saves its tree.                                                                                                       *)
OnNewLeader(m) ==
    /\ m.kind = "NEWLEADER"
    /\ LET i == m.to
           n == Len(commits[i])
       IN  /\ mode' = [mode EXCEPT ![i] = "epoch"]
           /\ saved' = [saved EXCEPT ![i] = IF way[i] = "DIFF" THEN @ ELSE applied[i]]
           /\ way' = [way EXCEPT ![i] = ""]
           /\ IF EpochFirst
              THEN UNCHANGED <<log, disk, applied, got, commits>>
              ELSE /\ Logged(i, commits[i])
                   /\ applied' = [applied EXCEPT ![i] = Max(@, Last(commits[i]))]
                   /\ got' = [got EXCEPT ![i] = SubSeq(@, n + 1, Len(@))]
                   /\ commits' = [commits EXCEPT ![i] = <<>>]
    /\ messages' = messages \ {m}
    /\ UNCHANGED <<phase, leader, accepted, current, unlogged, late, leaderVars, counters>>

(* It writes the epoch. *)
WriteEpoch(i) ==
    /\ mode[i] = "epoch"
    /\ late[i] = <<>>
    /\ mode' = [mode EXCEPT ![i] = "ack"]
    /\ current' = [current EXCEPT ![i] = accepted[i]]
    /\ IF EpochFirst /\ ~LogLast
       THEN /\ unlogged' = [unlogged EXCEPT ![i] = @ \o got[i]]
            /\ got' = [got EXCEPT ![i] = <<>>]
       ELSE UNCHANGED <<unlogged, got>>
    /\ UNCHANGED <<phase, leader, accepted, log, disk, saved, applied, late, way, commits, leaderVars, messages, counters>>

(* It acknowledges the leader. All that the leader has sent before must be on disk. *)
AckNewLeader(i) ==
    /\ mode[i] = "ack"
    /\ Free(i, leader[i])
    /\ mode' = [mode EXCEPT ![i] = "runs"]
    /\ IF AckFirst
       THEN UNCHANGED <<log, disk, unlogged>>
       ELSE /\ Logged(i, unlogged[i])
            /\ unlogged' = [unlogged EXCEPT ![i] = <<>>]
    /\ messages' = messages \union {Packet("ACK", i, leader[i], 10 * accepted[i])}
    /\ UNCHANGED <<phase, leader, accepted, current, saved, applied, late, way, got, commits, leaderVars, counters>>

(* The follower may serve. *)
OnUpToDate(m) ==
    /\ m.kind = "UPTODATE"
    /\ LET i == m.to
       IN  /\ mode' = [mode EXCEPT ![i] = "serve"]
           /\ IF ServeFirst
              THEN UNCHANGED <<applied, commits>>
              ELSE /\ applied' = [applied EXCEPT ![i] = Max(@, Last(commits[i]))]
                   /\ commits' = [commits EXCEPT ![i] = <<>>]
           /\ messages' = messages \ {m}
    /\ UNCHANGED <<phase, leader, diskVars, unlogged, late, way, got, leaderVars, counters>>

(* It says that it is up to date, and begins to serve. *)
Serve(i) ==
    /\ mode[i] = "serve"
    /\ Free(i, leader[i])
    /\ mode' = [mode EXCEPT ![i] = "runs"]
    /\ phase' = [phase EXCEPT ![i] = "BROADCAST"]
    /\ applied' = [applied EXCEPT ![i] = Max(@, Last(commits[i]))]
    /\ unlogged' = [unlogged EXCEPT ![i] = @ \o got[i]]
    /\ got' = [got EXCEPT ![i] = <<>>]
    /\ commits' = [commits EXCEPT ![i] = <<>>]
    /\ messages' = messages \union {Packet("ACK", i, leader[i], 10 * accepted[i])}
    /\ UNCHANGED <<leader, diskVars, late, way, leaderVars, counters>>

-----------------------------------------------------------------------------
(* Broadcast. *)

(* The leader commits its proposal if a quorum has it. *)
Commits(i, acks) ==
    LET zxid == proposal[i].zxid
        forwarded == {j \in Followers(i) : stage[j] \in {"newleader", "run"}}
    IN  IF zxid # 0 /\ IsQuorum(acks)
        THEN /\ proposal' = [proposal EXCEPT ![i] = None]
             /\ queue' = [j \in Server |-> IF j \in forwarded THEN Append(queue[j], Packet("COMMIT", i, j, zxid)) ELSE queue[j]]
             /\ applied' = [applied EXCEPT ![i] = zxid]
             /\ committed' = committed \union {zxid}
        ELSE /\ proposal' = [proposal EXCEPT ![i].acks = IF zxid = 0 THEN {} ELSE acks]
             /\ UNCHANGED <<queue, applied, committed>>

(* A client writes. *)
Write(i) ==
    /\ leader[i] = i /\ phase[i] = "BROADCAST"
    /\ writes < MaxWrites
    /\ proposal[i] = None
    /\ LET zxid == Max(10 * accepted[i], Last(log[i])) + 1
           forwarded == {j \in Followers(i) : stage[j] \in {"newleader", "run"}}
       IN  /\ proposal' = [proposal EXCEPT ![i] = [zxid |-> zxid, acks |-> {}]]
           /\ unlogged' = [unlogged EXCEPT ![i] = Append(@, zxid)]
           /\ queue' = [j \in Server |-> IF j \in forwarded THEN Append(queue[j], Packet("PROPOSAL", i, j, zxid)) ELSE queue[j]]
    /\ writes' = writes + 1
    /\ UNCHANGED <<mainVars, diskVars, applied, late, way, got, commits, stage, messages, committed, restarts, breaks>>

OnProposal(m) ==
    /\ m.kind = "PROPOSAL"
    /\ phase[m.to] = "BROADCAST" => unlogged[m.to] = <<>> \* so that each transaction is written and acknowledged by itself
    /\ messages' = messages \ {m}
    /\ IF phase[m.to] = "BROADCAST"
       THEN /\ unlogged' = [unlogged EXCEPT ![m.to] = Append(@, m.zxid)]
            /\ UNCHANGED got
       ELSE /\ got' = [got EXCEPT ![m.to] = Append(@, m.zxid)]
            /\ UNCHANGED unlogged
    /\ UNCHANGED <<mainVars, diskVars, applied, late, way, commits, leaderVars, counters>>

OnCommit(m) ==
    /\ m.kind = "COMMIT"
    /\ messages' = messages \ {m}
    /\ LET i == m.to
           fails == NoCommit /\ phase[i] # "BROADCAST" /\ way[i] = "" /\ got[i] = <<>>
       IN  CASE fails ->
                  /\ mode' = [mode EXCEPT ![i] = "lost"]
                  /\ UNCHANGED <<applied, got, commits>>
             [] ~fails /\ phase[i] = "BROADCAST" ->
                  /\ applied' = [applied EXCEPT ![i] = m.zxid]
                  /\ UNCHANGED <<mode, got, commits>>
             [] ~fails /\ way[i] \in {"TRUNC", "SNAP"} ->
                  /\ applied' = [applied EXCEPT ![i] = m.zxid]
                  /\ got' = [got EXCEPT ![i] = Tail(@)]
                  /\ UNCHANGED <<mode, commits>>
             [] OTHER ->
                  /\ commits' = [commits EXCEPT ![i] = Append(@, m.zxid)]
                  /\ UNCHANGED <<mode, applied, got>>
    /\ UNCHANGED <<phase, leader, diskVars, unlogged, late, way, leaderVars, counters>>

(* A server writes to its log. The leader takes note of that, a follower tells its leader. *)
Log(i) ==
    /\ unlogged[i] # <<>>
    /\ mode[i] = "lost" => stage[i] # "" \* it has failed, and its connection is still there
    /\ leader[i] # Nobody => Free(i, leader[i])
    /\ Logged(i, unlogged[i])
    /\ unlogged' = [unlogged EXCEPT ![i] = <<>>]
    /\ IF leader[i] = i
       THEN /\ Commits(i, proposal[i].acks \union {i})
            /\ UNCHANGED <<mode, phase, leader, messages>>
       ELSE /\ messages' = IF stage[i] = "" THEN messages ELSE messages \union {Packet("ACK", i, leader[i], Last(unlogged[i]))}
            /\ mode' = [mode EXCEPT ![i] = IF @ = "ends" THEN "starts" ELSE @]
            /\ phase' = [phase EXCEPT ![i] = IF mode[i] = "ends" THEN "ELECTION" ELSE @]
            /\ leader' = [leader EXCEPT ![i] = IF mode[i] = "ends" THEN Nobody ELSE @]
            /\ applied' = [applied EXCEPT ![i] = IF mode[i] = "ends" /\ ~(LoadAgain \/ NoForward \/ ForwardFirst) THEN Max(@, Last(log'[i])) ELSE @]
            /\ UNCHANGED <<queue, proposal, committed>>
    /\ UNCHANGED <<accepted, current, saved, late, way, got, commits, stage, writes, restarts, breaks>>

OnAck(m) ==
    /\ m.kind = "ACK"
    /\ stage[m.from] # "stuck"
    /\ messages' = messages \ {m}
    /\ LET i == m.to
           j == m.from
           isLeadership == m.zxid = 10 * accepted[i]
           \* A leader that has a quorum already does not look at the acknowledgement.
           counts == isLeadership \/ (AnyAck /\ phase[i] = "BROADCAST")
       IN  CASE stage[j] = "newleader" /\ counts ->
                  /\ stage' = [stage EXCEPT ![j] = "run"]
                  /\ queue' = [queue EXCEPT ![j] = Append(@, Packet("UPTODATE", i, j, -1))]
                  /\ phase' = [phase EXCEPT ![i] = "BROADCAST"]
                  /\ applied' = [applied EXCEPT ![i] = IF phase[i] = "BROADCAST" THEN @ ELSE 10 * accepted[i]]
                  /\ UNCHANGED <<proposal, committed>>
             [] stage[j] = "newleader" /\ ~counts ->
                  \* The leader waits for the other acknowledgement. If it takes this one for it, it waits for ever.
                  /\ stage' = [stage EXCEPT ![j] = IF AnyAck THEN "stuck" ELSE @]
                  /\ UNCHANGED <<queue, phase, applied, proposal, committed>>
             [] stage[j] = "run" ->
                  /\ IF isLeadership \/ m.zxid # proposal[i].zxid
                     THEN UNCHANGED <<queue, proposal, applied, committed>>
                     ELSE Commits(i, proposal[i].acks \union {j})
                  /\ UNCHANGED <<stage, phase>>
    /\ UNCHANGED <<mode, leader, diskVars, unlogged, late, way, got, commits, writes, restarts, breaks>>

-----------------------------------------------------------------------------
(* Crashes. *)

(* What is left of server i after a crash. The connections to it are gone; a follower notices when it reads the next packet. *)
Dies(i, next) ==
    /\ \A m \in messages : m.from # i
    /\ leader[i] = i => \A j \in Server \ {i} : leader[j] = i => stage[j] # "" /\ mode[j] = "runs" /\ Free(j, i)
    /\ queue[i] = <<>>
    /\ LET followers == IF leader[i] = i THEN Followers(i) ELSE {}
       IN  /\ mode' = [j \in Server |-> IF j = i THEN next ELSE IF j \in followers THEN "lost" ELSE mode[j]]
           /\ stage' = [j \in Server |-> IF j = i \/ j \in followers THEN "" ELSE stage[j]]
           /\ queue' = [j \in Server |-> IF j = i \/ (queue[j] # <<>> /\ Head(queue[j]).from = i) THEN <<>> ELSE queue[j]]
    /\ phase' = [phase EXCEPT ![i] = "ELECTION"]
    /\ leader' = [leader EXCEPT ![i] = Nobody]
    /\ applied' = [applied EXCEPT ![i] = Loaded(i)]
    /\ unlogged' = [unlogged EXCEPT ![i] = <<>>]
    /\ late' = [late EXCEPT ![i] = <<>>]
    /\ way' = [way EXCEPT ![i] = ""]
    /\ got' = [got EXCEPT ![i] = <<>>]
    /\ commits' = [commits EXCEPT ![i] = <<>>]
    /\ proposal' = [proposal EXCEPT ![i] = None]
    /\ messages' = {m \in messages : m.to # i}
    /\ current' = [current EXCEPT ![i] = IF Repairs /\ mode[i] = "epoch" THEN Max(@, EpochOf(Loaded(i))) ELSE @]
    /\ UNCHANGED <<accepted, log, disk, saved, committed, writes, breaks>>

(* A server crashes and starts again. *)
Restart(i) ==
    /\ restarts < MaxRestarts
    /\ mode[i] \notin {"starts", "looks", "hears", "down"}
    /\ Dies(i, "starts")
    /\ restarts' = restarts + 1

(* A server crashes. *)
Stop(i) ==
    /\ i \in Stops
    /\ mode[i] \in {"starts", "runs"}
    /\ Dies(i, "down")
    /\ UNCHANGED restarts

Start(i) ==
    /\ mode[i] = "down"
    /\ mode' = [mode EXCEPT ![i] = "starts"]
    /\ UNCHANGED <<phase, leader, diskVars, memoryVars, leaderVars, messages, counters>>

-----------------------------------------------------------------------------
(* Connections. *)

(* The connection of follower i to its leader breaks, and both notice. Nothing is under way between them. *)
Disconnect(i) ==
    /\ breaks < MaxBreaks
    /\ leader[i] \notin {Nobody, i}
    /\ mode[i] = "runs" /\ stage[i] \notin {"", "stuck"}
    /\ queue[i] = <<>> /\ Free(i, leader[i]) /\ Free(leader[i], i)
    /\ mode' = [mode EXCEPT ![i] = "lost"]
    /\ stage' = [stage EXCEPT ![i] = ""]
    /\ breaks' = breaks + 1
    /\ UNCHANGED <<phase, leader, diskVars, memoryVars, queue, proposal, messages, committed, writes, restarts>>

(* Half a tick passes for a leader that has lost its quorum. In every second half it looks, and gives up. What is in its log counts. *)
Tick(i) ==
    /\ leader[i] = i /\ phase[i] = "BROADCAST"
    /\ breaks > 0 /\ ~IsQuorum(Followers(i) \union {i})
    /\ unlogged[i] = <<>> \* so that it need not wait for its log
    /\ IF mode[i] = "runs"
       THEN /\ mode' = [mode EXCEPT ![i] = "ticks"]
            /\ UNCHANGED <<phase, leader, applied, proposal>>
       ELSE /\ mode' = [mode EXCEPT ![i] = "starts"]
            /\ phase' = [phase EXCEPT ![i] = "ELECTION"]
            /\ leader' = [leader EXCEPT ![i] = Nobody]
            /\ applied' = [applied EXCEPT ![i] = Max(@, Last(log[i]))]
            /\ proposal' = [proposal EXCEPT ![i] = None]
    /\ UNCHANGED <<diskVars, unlogged, late, way, got, commits, stage, queue, messages, counters>>

-----------------------------------------------------------------------------
(* A follower that has lost its leader stops its server. When all is in its log, it looks for a leader. *)
LoseLeader(i) ==
    /\ mode[i] = "lost"
    /\ \A m \in messages : m.from # i /\ m.to # i
    /\ LET waits == unlogged[i] # <<>> /\ ~LeaveFirst
           \* A server that has not begun to serve is left as it is, but for a snapshot that has not been saved.
           served == phase[i] = "BROADCAST"
       IN  /\ mode' = [mode EXCEPT ![i] = IF waits THEN "ends" ELSE "starts"]
           /\ phase' = [phase EXCEPT ![i] = IF waits THEN @ ELSE "ELECTION"]
           /\ leader' = [leader EXCEPT ![i] = IF waits THEN @ ELSE Nobody]
           /\ applied' = [applied EXCEPT ![i] = IF LoadAgain \/ (way[i] = "SNAP" /\ ~KeepSnap) THEN 0
                                                ELSE IF served /\ ~waits /\ ~NoForward THEN Max(@, Last(log[i]))
                                                ELSE @]
           /\ unlogged' = [unlogged EXCEPT ![i] = IF waits THEN @ ELSE <<>>]
           /\ late' = [late EXCEPT ![i] = IF waits THEN @ ELSE @ \o unlogged[i]]
    /\ stage' = [stage EXCEPT ![i] = ""]
    \* If it has failed, its leader throws away what is left for it, but for the packet that a thread is about to write.
    /\ queue' = [queue EXCEPT ![i] = SubSeq(@, 1, Min(1, Len(@)))]
    /\ way' = [way EXCEPT ![i] = ""]
    /\ got' = [got EXCEPT ![i] = <<>>]
    /\ commits' = [commits EXCEPT ![i] = <<>>]
    /\ UNCHANGED <<diskVars, proposal, messages, counters>>

(* What it had from its former leader goes to the log. *)
LogLate(i) ==
    /\ late[i] # <<>>
    /\ Logged(i, late[i])
    /\ late' = [late EXCEPT ![i] = <<>>]
    /\ UNCHANGED <<mainVars, accepted, current, saved, applied, unlogged, way, got, commits, leaderVars, messages, counters>>

Next ==
    \/ \E i \in Server : LookForLeader(i)
    \/ \E m \in messages : Elected(m)
    \/ \E i \in Server : Lead(i)
    \/ \E i \in Server : Follow(i)
    \/ \E m \in messages : OnFollowerInfo(m)
    \/ \E m \in messages : OnLeaderInfo(m)
    \/ \E m \in messages : OnAckEpoch(m)
    \/ \E i, j \in Server : Send(i, j)
    \/ \E m \in messages : OnDiff(m)
    \/ \E m \in messages : OnTrunc(m)
    \/ \E m \in messages : OnSnap(m)
    \/ \E m \in messages : OnNewLeader(m)
    \/ \E i \in Server : WriteEpoch(i)
    \/ \E i \in Server : AckNewLeader(i)
    \/ \E m \in messages : OnUpToDate(m)
    \/ \E i \in Server : Serve(i)
    \/ \E i \in Server : Write(i)
    \/ \E m \in messages : OnProposal(m)
    \/ \E m \in messages : OnCommit(m)
    \/ \E i \in Server : Log(i)
    \/ \E m \in messages : OnAck(m)
    \/ \E i \in Server : Restart(i)
    \/ \E i \in Server : Stop(i)
    \/ \E i \in Server : Start(i)
    \/ \E i \in Server : Disconnect(i)
    \/ \E i \in Server : Tick(i)
    \/ \E i \in Server : LoseLeader(i)
    \/ \E i \in Server : LogLate(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* A transaction that was committed is on the disks of a quorum. *)
CommittedIsOnDisk == \A z \in committed : IsQuorum({i \in Server : z \in Elements(log[i]) \/ z <= saved[i]})

(* Whoever leads and serves has all that was committed. *)
LeadersHaveAll ==
    \A i \in Server : leader[i] = i /\ phase[i] = "BROADCAST" =>
        \A z \in committed : z \in Elements(log[i]) \union Elements(unlogged[i]) \/ z <= saved[i]

(* To keep graphs small. A third server comes when a transaction waits to be committed. *)
ThirdIsLate == \A i \in Server \ {First, "n2"} : mode[i] = "starts" \/ writes = 1

(* Or it is down, and takes the second one's place when the first one has crashed with a new epoch and without what belongs to it. *)
ThirdIsLast ==
    /\ \/ mode["n3"] = "down"
       \/ mode["n2"] = "down" /\ restarts = 1
       \/ \A i \in Server : mode[i] = "starts" /\ restarts = 0
    /\ mode["n2"] = "down" => restarts = 1
    /\ restarts = 1 => mode["n2"] \in {"runs", "down"} /\ current[First] > 1 /\ 12 \notin Elements(log[First])
=============================================================================
