------------------------------ MODULE Scripted ------------------------------
(* Behaviors of async-raft that break what Raft promises, or a node, as scripts. *)
EXTENDS AsyncRaft

CONSTANT Script     \* which one: "agreed", "applied", "spins", "shuts" or "skips"

VARIABLE at         \* how many steps of the script have been taken

\* A leader takes an entry to be committed that only it has.
AgreedSteps == <<
    \* n1 leads in term 1, with an entry that nobody else gets, and crashes.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>, <<"Restart", n1, n1>>, <<"Boot", n1, n1>>,
    \* It leads in term 2. A heartbeat goes well; the entries of term 2 do not fit at n2, whose log is empty.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>, <<"append", n1, n2>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>,
    <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>,
    \* By the refusal of n2, n1 takes its first entry to be committed, and says so.
    <<"Heartbeat", n1, n2>>
>>

\* A leader does not tell its state machine of an entry that others tell theirs.
AppliedSteps == <<
    \* n1 leads in term 1, and sends a client's request to n3. Before it hears of that, it hears of term 2 from n2.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>, <<"append", n1, n3>>, <<"Timeout", n2, n2>>, <<"ClientRequest", n1, n1>>,
    <<"append", n1, n2>>, <<"appendAnswer", n3, n1>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>,
    \* It leads in term 3 with the vote of n2. n3 has all entries, so they are committed.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>, <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"append", n1, n3>>,
    <<"appendAnswer", n3, n1>>,
    \* n3 hears of that.
    <<"Heartbeat", n1, n3>>, <<"append", n1, n3>>
>>

\* A task wants a snapshot for n2 that the leader does not have, and asks for it in an endless loop.
SpinsSteps == <<
    \* n1 leads in term 1. Its first entry is under way to n2 when a client asks for something and n1 crashes.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"vote", n1, n3>>, <<"voteAnswer", n2, n1>>, <<"voteAnswer", n3, n1>>, <<"append", n1, n2>>,
    <<"appendAnswer", n2, n1>>, <<"ClientRequest", n1, n1>>, <<"Restart", n1, n1>>, <<"Boot", n1, n1>>, <<"append", n1, n2>>,
    <<"appendAnswer", n2, n1>>,
    \* It leads in term 2 with the vote of n3. n2 has the first of its three entries, and so many are missing that a snapshot is wanted.
    <<"Timeout", n1, n1>>, <<"vote", n1, n3>>, <<"voteAnswer", n3, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>,
    <<"appendAnswer", n2, n1>>
>>

\* The answer to the second part of a snapshot comes too late. That part is sent again, and n3 takes it for a whole snapshot.
ShutsSteps == <<
    \* n1 leads in term 1 with a client's request, which n2 has too, and crashes.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"vote", n1, n3>>, <<"voteAnswer", n2, n1>>, <<"voteAnswer", n3, n1>>, <<"ClientRequest", n1, n1>>,
    <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"Restart", n1, n1>>, <<"Boot", n1, n1>>,
    \* It leads in term 2 with the vote of n3. All of its log is committed with n2, and it makes a snapshot.
    <<"Timeout", n1, n1>>, <<"vote", n1, n3>>, <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"voteAnswer", n3, n1>>,
    <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>,
    \* n3 has nothing, and gets the snapshot.
    <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"snapshot", n1, n3>>,
    <<"snapshotAnswer", n3, n1>>, <<"snapshot", n1, n3>>, <<"GiveUp", n1, n3>>, <<"snapshot", n1, n3>>
>>

\* n3 gets an entry without those before it, which are in a snapshot.
SkipsSteps == <<
    \* n1 leads in term 1 with a client's request, which n2 has too, makes a snapshot, and crashes.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"vote", n1, n3>>, <<"voteAnswer", n2, n1>>, <<"ClientRequest", n1, n1>>, <<"voteAnswer", n3, n1>>,
    <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"Restart", n1, n1>>, <<"Boot", n1, n1>>,
    \* It leads in term 2 with the vote of n3, and a client asks for something. n3 has nothing, and refuses the first entry of term 2.
    <<"Timeout", n1, n1>>, <<"vote", n1, n3>>, <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"voteAnswer", n3, n1>>,
    <<"append", n1, n2>>, <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"ClientRequest", n1, n1>>, <<"append", n1, n3>>,
    \* All of it is committed with n2, and n1 makes a snapshot again. Now it hears of the refusal, and sends the last entry alone.
    <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"appendAnswer", n3, n1>>, <<"append", n1, n3>>
>>

Steps == CASE Script = "agreed" -> AgreedSteps [] Script = "applied" -> AppliedSteps [] Script = "spins" -> SpinsSteps
           [] Script = "shuts" -> ShutsSteps [] OTHER -> SkipsSteps

-----------------------------------------------------------------------------
Turn(kind, from, to) == at < Len(Steps) /\ Steps[at + 1] = <<kind, from, to>> /\ at' = at + 1
TurnOf(m) == Turn(m.type, m.from, m.to)

Stands(i) == Turn("Timeout", i, i) /\ Timeout(i)
Crashes(i) == Turn("Restart", i, i) /\ Restart(i)
Starts(i) == Turn("Boot", i, i) /\ Boot(i)
Asks(i) == Turn("ClientRequest", i, i) /\ ClientRequest(i)
Beats(i, j) == Turn("Heartbeat", i, j) /\ Heartbeat(i, j)
Waits(i, j) == Turn("GiveUp", i, j) /\ GiveUp(i, j)
Votes(m) == TurnOf(m) /\ HandleVote(m)
Wins(m) == TurnOf(m) /\ HandleVoteAnswer(m)
Writes(m) == TurnOf(m) /\ HandleAppend(m)
Learns(m) == TurnOf(m) /\ HandleAppendAnswer(m)
Installs(m) == TurnOf(m) /\ HandleSnapshot(m)
GoesOn(m) == TurnOf(m) /\ HandleSnapshotAnswer(m)

ScriptedNext ==
    \/ \E i \in Server : Stands(i)
    \/ \E i \in Server : Crashes(i)
    \/ \E i \in Server : Starts(i)
    \/ \E i \in Server : Asks(i)
    \/ \E i, j \in Server : Beats(i, j)
    \/ \E i, j \in Server : Waits(i, j)
    \/ \E m \in messages : Votes(m)
    \/ \E m \in messages : Wins(m)
    \/ \E m \in messages : Writes(m)
    \/ \E m \in messages : Learns(m)
    \/ \E m \in messages : Installs(m)
    \/ \E m \in messages : GoesOn(m)

ScriptedSpec == Init /\ at = 0 /\ [][ScriptedNext]_<<vars, at>>
=============================================================================
