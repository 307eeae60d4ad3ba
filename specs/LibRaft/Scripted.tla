------------------------------ MODULE Scripted ------------------------------
(* Five behaviors of libraft 0.15, step by step. The first three end with two nodes that have applied different values at the same index.   *)
(*                                                                                                                                           *)
(* A step is <<what, i>> for what node i does by itself, and <<what, i, j, t>> for the message of term t from i to j that is taken in.       *)
EXTENDS LibRaft

CONSTANTS n1, n2, n3, Script

VARIABLE at     \* how many steps have been taken

\* A leader commits an entry of an earlier term, and another leader replaces it: figure 8 of the Raft paper.
OldTerm == <<
    \* n1 leads in term 2, and has a value that nobody else has.
    <<"Timeout", n1>>, <<"Vote", n1, n2, 2>>, <<"Voted", n2, n1, 2>>, <<"Ask", n1>>,
    \* So does n3 in term 3.
    <<"Timeout", n3>>, <<"Timeout", n3>>, <<"Vote", n3, n2, 3>>, <<"Voted", n2, n3, 3>>, <<"Ask", n3>>,
    \* n1 leads in term 4, gives n2 its value of term 2, and commits it.
    <<"Append", n3, n1, 3>>, <<"Timeout", n1>>, <<"Vote", n1, n2, 4>>, <<"Voted", n2, n1, 4>>, <<"Append", n1, n2, 4>>, <<"Appended", n2, n1, 4>>,
    <<"Heartbeat", n1>>, <<"Append", n1, n2, 4>>, <<"Appended", n2, n1, 4>>,
    \* n3 leads in term 6, with the vote of n2, which is free again after a term 5 of its own. It replaces that value by its own.
    <<"Append", n1, n3, 4>>, <<"Timeout", n2>>, <<"Timeout", n3>>, <<"Timeout", n3>>, <<"Vote", n3, n2, 6>>, <<"Voted", n2, n3, 6>>,
    <<"Append", n3, n2, 6>>, <<"Appended", n2, n3, 6>>, <<"Heartbeat", n3>>, <<"Append", n3, n2, 6>>, <<"Appended", n2, n3, 6>>
>>

\* A follower answers a heartbeat with the end of its log, of which the leader knows nothing.
Beyond == <<
    \* n1 leads in term 2, and has a value that nobody else has.
    <<"Timeout", n1>>, <<"Vote", n1, n2, 2>>, <<"Voted", n2, n1, 2>>, <<"Ask", n1>>,
    \* n2 leads in term 3 with the vote of n3. n1 agrees with its first heartbeat, and says that its log ends at 2.
    <<"Timeout", n2>>, <<"Vote", n2, n3, 3>>, <<"Voted", n3, n2, 3>>, <<"Append", n2, n1, 3>>,
    \* By then n2 has a value at 2, too, and commits it, for n1 seems to have it.
    <<"Ask", n2>>, <<"Appended", n1, n2, 3>>,
    \* n1 leads in term 4 with the vote of n3, gives it the other value, and commits that.
    <<"Timeout", n1>>, <<"Vote", n1, n3, 4>>, <<"Voted", n3, n1, 4>>, <<"Append", n1, n3, 4>>, <<"Appended", n3, n1, 4>>,
    <<"Heartbeat", n1>>, <<"Append", n1, n3, 4>>, <<"Appended", n3, n1, 4>>
>>

\* A write ends after the leader has changed, and the follower tells the new leader of it.
NewLeader == <<
    \* n1 leads in term 2, and n3 begins to write its value.
    <<"Timeout", n1>>, <<"Vote", n1, n2, 2>>, <<"Voted", n2, n1, 2>>, <<"Append", n1, n3, 2>>, <<"Appended", n3, n1, 2>>, <<"Ask", n1>>,
    <<"Append", n1, n3, 2>>,
    \* n1 crashes before it has written the value itself, and n2 leads in term 3 with its vote. n3 agrees with the first heartbeat.
    <<"Restart", n1>>, <<"Timeout", n2>>, <<"Vote", n2, n1, 3>>, <<"Voted", n1, n2, 3>>, <<"Append", n2, n3, 3>>, <<"Appended", n3, n2, 3>>,
    \* n2 has a value of its own when the write of n3 ends. It takes the answer for one about its value, and commits.
    <<"Ask", n2>>, <<"Write", n3>>, <<"Appended", n3, n2, 3>>, <<"Write", n2>>,
    \* n3 leads in term 4 with the vote of n1, gives it the first value, and commits that.
    <<"Timeout", n3>>, <<"Vote", n3, n1, 4>>, <<"Voted", n1, n3, 4>>, <<"Append", n3, n1, 4>>, <<"Appended", n1, n3, 4>>,
    <<"Heartbeat", n3>>, <<"Append", n3, n1, 4>>, <<"Write", n1>>, <<"Appended", n1, n3, 4>>
>>

\* A write ends when the node follows nobody: whom does it answer?
NoLeader == <<
    <<"Timeout", n1>>, <<"Vote", n1, n2, 2>>, <<"Voted", n2, n1, 2>>, <<"Append", n1, n3, 2>>, <<"Appended", n3, n1, 2>>, <<"Ask", n1>>,
    <<"Append", n1, n3, 2>>,
    <<"Timeout", n3>>, <<"Timeout", n2>>, <<"Timeout", n2>>, <<"Vote", n2, n3, 4>>, <<"Write", n3>>
>>

\* A node stands for election while it installs a snapshot: whom does it answer when that is done?
WhileInstalling == <<
    \* n1 leads in term 2, and commits a value with n2. It makes a snapshot of that.
    <<"Timeout", n1>>, <<"Vote", n1, n2, 2>>, <<"Voted", n2, n1, 2>>, <<"Append", n1, n2, 2>>, <<"Appended", n2, n1, 2>>, <<"Ask", n1>>, <<"Write", n1>>,
    <<"Append", n1, n2, 2>>, <<"Write", n2>>, <<"Appended", n2, n1, 2>>, <<"Write", n1>>,
    \* n3 needs what n1 has dropped by now, and gets the snapshot.
    <<"Append", n1, n3, 2>>, <<"Appended", n3, n1, 2>>, <<"Install", n1, n3, 2>>,
    <<"Timeout", n3>>, <<"Write", n3>>
>>

-----------------------------------------------------------------------------
Step == Script[at + 1]
Turn(what) == at < Len(Script) /\ Step[1] = what /\ at' = at + 1
Alone(what, i) == Turn(what) /\ Step[2] = i
Taken(what, m) == Turn(what) /\ Tail(Step) = <<m.from, m.to, m.term>>

Fires(i) == Alone("Timeout", i) /\ Timeout(i)
Beats(i) == Alone("Heartbeat", i) /\ Heartbeat(i)
Asks(i) == Alone("Ask", i) /\ ClientRequest(i)
Stores(i) == Alone("Write", i) /\ WriteDone(i)
Restarts(i) == Alone("Restart", i) /\ Restart(i)
Votes(m) == Taken("Vote", m) /\ HandleRequestVote(m)
Counts(m) == Taken("Voted", m) /\ HandleRequestVoteResult(m)
Follows(m) == Taken("Append", m) /\ HandleAppendEntries(m)
Learns(m) == Taken("Appended", m) /\ HandleAppendEntriesResult(m)
Installs(m) == Taken("Install", m) /\ HandleInstallSnapshot(m)

ScriptedNext ==
    \/ \E i \in Server : Fires(i)
    \/ \E i \in Server : Beats(i)
    \/ \E i \in Server : Asks(i)
    \/ \E i \in Server : Stores(i)
    \/ \E i \in Server : Restarts(i)
    \/ \E m \in DOMAIN messages : Votes(m)
    \/ \E m \in DOMAIN messages : Counts(m)
    \/ \E m \in DOMAIN messages : Follows(m)
    \/ \E m \in DOMAIN messages : Learns(m)
    \/ \E m \in DOMAIN messages : Installs(m)

Scripted == Init /\ at = 0 /\ [][ScriptedNext]_<<vars, at>>

\* Violated if all steps of the script can be taken.
NotYet == at < Len(Script)
=============================================================================
