-------------------------------- MODULE Stale --------------------------------
(* A task that sent the log of a leader goes on when another leads. A script leads there, since it takes five nodes: n1 leads in term 1 and n2   *)
(* in term 2, with n4 and n5, and the log of n1 becomes that of n2, while n3 has heard only of n1.                                             *)
EXTENDS OpenRaft

CONSTANTS
    Script,        \* which one: "short" ends where two logs no longer match, "long" where n3 leads with what n2 has overwritten, "purge" where n3
                   \* gets an entry without the one before it
    MaxFree        \* how many steps may follow in any order

VARIABLES at, free \* how many steps of the script, and then of others, have been taken

Short == <<
    \* n1 leads in term 1 with the votes of n2 and n3. Its first entry is at n3.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"voteAnswer", n2, n1>>, <<"vote", n1, n3>>, <<"voteAnswer", n3, n1>>,
    <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>,
    \* A heartbeat to n3 is under way when a client asks for something, so the entry has to wait. The heartbeat's answer comes late.
    <<"Heartbeat", n1, n1>>, <<"ClientRequest", n1, n1>>, <<"append", n1, n3>>,
    \* n2 leads in term 2 with the votes of n4 and n5, and a client asks for something there too.
    <<"Timeout", n2, n2>>, <<"vote", n2, n4>>, <<"voteAnswer", n4, n2>>, <<"vote", n2, n5>>, <<"voteAnswer", n5, n2>>,
    <<"ClientRequest", n2, n2>>,
    \* The log of n1 becomes that of n2.
    <<"append", n2, n1>>, <<"appendAnswer", n1, n2>>, <<"append", n2, n1>>,
    \* Now the answer of n3 arrives at n1, and n3 takes in what n1 sends it then.
    <<"appendAnswer", n3, n1>>, <<"append", n1, n3>>
>>

Long == Short \o <<
    \* The entries of n2 are committed: n2, n4 and n5 have them.
    <<"append", n2, n4>>, <<"append", n2, n5>>, <<"appendAnswer", n4, n2>>, <<"appendAnswer", n5, n2>>, <<"append", n2, n4>>,
    <<"append", n2, n5>>, <<"appendAnswer", n4, n2>>, <<"appendAnswer", n5, n2>>,
    \* n3 leads, in term 2 too, with the votes of n4 and n5, since its last entry is theirs.
    <<"LeaseEnds", n4, n4>>, <<"LeaseEnds", n5, n5>>, <<"Timeout", n3, n3>>, <<"vote", n3, n4>>, <<"voteAnswer", n4, n3>>,
    <<"vote", n3, n5>>, <<"voteAnswer", n5, n3>>,
    \* Its log is committed.
    <<"append", n3, n4>>, <<"append", n3, n5>>, <<"appendAnswer", n4, n3>>, <<"appendAnswer", n5, n3>>
>>

\* The same task, when what it reads next is partly gone. This takes three nodes.
Purging == <<
    \* n1 leads in term 1. Its first entry is at n2 and n3, and a client asks for something.
    <<"Timeout", n1, n1>>, <<"vote", n1, n2>>, <<"vote", n1, n3>>, <<"voteAnswer", n2, n1>>, <<"voteAnswer", n3, n1>>, <<"LeaseEnds", n1, n1>>,
    <<"ClientRequest", n1, n1>>, <<"append", n1, n2>>, <<"append", n1, n3>>, <<"appendAnswer", n2, n1>>,
    \* A client asks again. The first request is committed with n2. To n3 goes the commit index first, so both requests have to wait.
    <<"ClientRequest", n1, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n2, n1>>, <<"append", n1, n2>>, <<"appendAnswer", n3, n1>>,
    \* n2 stands for election. n1 votes for it, no longer leads, and makes a snapshot: the entry of the first request is gone.
    <<"Timeout", n2, n2>>, <<"vote", n2, n1>>, <<"TakeSnapshot", n1, n1>>,
    \* Now the answer of n3 arrives at n1, and n3 takes in what n1 sends it then.
    <<"append", n1, n3>>, <<"appendAnswer", n3, n1>>, <<"append", n1, n3>>
>>

Steps == CASE Script = "short" -> Short [] Script = "long" -> Long [] OTHER -> Purging

-----------------------------------------------------------------------------
Turn(kind, from, to) ==
    \/ at < Len(Steps) /\ Steps[at + 1] = <<kind, from, to>> /\ at' = at + 1 /\ free' = free
    \/ at = Len(Steps) /\ free < MaxFree /\ free' = free + 1 /\ at' = at

TurnOf(m) == Turn(m.type, m.from, m.to)

Stands(i) == Turn("Timeout", i, i) /\ Timeout(i)
Lapses(i) == Turn("LeaseEnds", i, i) /\ LeaseEnds(i)
Beats(i) == Turn("Heartbeat", i, i) /\ Heartbeat(i)
Asks(i) == Turn("ClientRequest", i, i) /\ ClientRequest(i)
Saves(i) == Turn("TakeSnapshot", i, i) /\ TakeSnapshot(i)
Votes(m) == TurnOf(m) /\ HandleVote(m)
Wins(m) == TurnOf(m) /\ HandleVoteAnswer(m)
Writes(m) == TurnOf(m) /\ HandleAppend(m)
Learns(m) == TurnOf(m) /\ HandleAppendAnswer(m)

ScriptedNext ==
    \/ \E i \in Server : Stands(i)
    \/ \E i \in Server : Lapses(i)
    \/ \E i \in Server : Beats(i)
    \/ \E i \in Server : Asks(i)
    \/ \E i \in Server : Saves(i)
    \/ \E m \in messages : Votes(m)
    \/ \E m \in messages : Wins(m)
    \/ \E m \in messages : Writes(m)
    \/ \E m \in messages : Learns(m)

Scripted == Init /\ at = 0 /\ free = 0 /\ [][ScriptedNext]_<<vars, at, free>>
=============================================================================
