------------------------------ MODULE Scripted ------------------------------
(* Two behaviors of HashiCorp's raft that break what Raft promises, as scripts. *)
EXTENDS HashicorpRaft

CONSTANTS n1, n2, n3, Script     \* which one: "old vote" or "old entry"

VARIABLE at                      \* how many steps of the script have been taken

\* A crash between two writes makes an old vote one of the new term, and such a vote is given again without a look at the log.
OldVoteSteps == <<
    \* n3 votes for n1 in term 2. Before n1 hears of that, n2 leads in term 3 with the vote of n1.
    <<"Timeout", n1, n1>>, <<"vote", n1, n3>>, <<"Timeout", n2, n2>>, <<"Timeout", n2, n2>>, <<"vote", n2, n1>>, <<"voteAnswer", n1, n2>>,
    \* It commits its first entry with n3.
    <<"append", n2, n3>>, <<"appendAnswer", n3, n2>>,
    \* n3 stands for election in term 4, and crashes when it has written the term of its vote, and not yet for whom it is.
    <<"Crash", n3, n3>>,
    \* n1 stands in term 4, without that entry. n3 takes its vote of term 2 for one of term 4.
    <<"Timeout", n1, n1>>, <<"vote", n1, n3>>, <<"voteAnswer", n3, n1>>,
    \* n1 replaces the entry, and commits its own.
    <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>
>>

\* A snapshot is not compared with the log of the follower that gets it.
OldEntrySteps == <<
    \* n3 leads in term 2, with a request that nobody else has.
    <<"Timeout", n3, n3>>, <<"vote", n3, n2>>, <<"voteAnswer", n2, n3>>, <<"ClientRequest", n3, n3>>,
    \* n1 leads in term 3, commits a request with n2 and makes a snapshot of it.
    <<"Timeout", n1, n1>>, <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>, <<"ClientRequest", n1, n1>>,
    <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"Snapshot", n1, n1>>,
    \* It crashes, and leads in term 4.
    <<"Restart", n1, n1>>, <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>,
    \* Its first entry does not fit at n3, so n3 gets the snapshot.
    <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"snapshot", n1, n3>>, <<"snapshotAnswer", n3, n1>>,
    \* It does not fit now either, so n3 gets the snapshot again, and so on.
    <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"snapshot", n1, n3>>, <<"snapshotAnswer", n3, n1>>
>>

Steps == IF Script = "old vote" THEN OldVoteSteps ELSE OldEntrySteps

-----------------------------------------------------------------------------
Turn(kind, from, to) == at < Len(Steps) /\ Steps[at + 1] = <<kind, from, to>> /\ at' = at + 1

\* The script means the message of the newest term.
TurnOf(m) ==
    /\ Turn(m.type, m.from, m.to)
    /\ \A n \in messages : n.type = m.type /\ n.from = m.from /\ n.to = m.to => n.term <= m.term

Stands(i) == Turn("Timeout", i, i) /\ Timeout(i)
Crashes(i) == Turn("Restart", i, i) /\ Restart(i)
Breaks(i, writes) == writes = 2 /\ Turn("Crash", i, i) /\ CrashStanding(i, writes)
Asks(i) == Turn("ClientRequest", i, i) /\ ClientRequest(i)
Shortens(i) == Turn("Snapshot", i, i) /\ TakeSnapshot(i)
Votes(m) == TurnOf(m) /\ HandleVote(m)
Wins(m) == TurnOf(m) /\ HandleVoteAnswer(m)
Writes(m) == TurnOf(m) /\ HandleAppend(m)
Learns(m) == TurnOf(m) /\ HandleAppendAnswer(m)
Installs(m) == TurnOf(m) /\ HandleSnapshot(m)
Advances(m) == TurnOf(m) /\ HandleSnapshotAnswer(m)

ScriptedNext ==
    \/ \E i \in Server : Stands(i)
    \/ \E i \in Server : Crashes(i)
    \/ \E i \in Server : \E writes \in 1..3 : Breaks(i, writes)
    \/ \E i \in Server : Asks(i)
    \/ \E i \in Server : Shortens(i)
    \/ \E m \in messages : Votes(m)
    \/ \E m \in messages : Wins(m)
    \/ \E m \in messages : Writes(m)
    \/ \E m \in messages : Learns(m)
    \/ \E m \in messages : Installs(m)
    \/ \E m \in messages : Advances(m)

ScriptedSpec == Init /\ at = 0 /\ [][ScriptedNext]_<<vars, at>>
=============================================================================
