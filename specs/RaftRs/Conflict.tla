------------------------------ MODULE Conflict ------------------------------
(* Two logs that differ from their first entry on. A script leads there, because the scenarios with few messages under way don't; from     *)
(* then on, anything may happen in any order.                                                                                              *)
(*                                                                                                                                         *)
(* At the end of the script n1 leads in term 3 with the entries <<1, 1, 3>> (by term), n2 has <<2, 2>>, and n3 has none.                     *)
EXTENDS RaftRs

CONSTANTS n1, n2, n3

VARIABLE at     \* how many steps of the script have been taken

Script == <<
    \* n1 leads in term 1 with the vote of n3, and takes a request. Its first append stays under way.
    <<"Campaign", n1, n1>>, <<"MsgRequestVote", n1, n3>>, <<"MsgRequestVoteResponse", n3, n1>>, <<"ClientRequest", n1, n1>>,
    \* n2 votes in term 1, too late to count, then leads in term 2 with the vote of n3, and takes a request.
    <<"MsgRequestVote", n1, n2>>, <<"MsgRequestVoteResponse", n2, n1>>, <<"Campaign", n2, n2>>, <<"MsgRequestVote", n2, n3>>,
    <<"MsgRequestVoteResponse", n3, n2>>, <<"ClientRequest", n2, n2>>,
    \* What n1 has sent is too old by now.
    <<"MsgAppend", n1, n2>>, <<"MsgAppend", n1, n3>>,
    \* n1 hears of term 2, and leads in term 3 with the vote of n3. What n2 has sent is too old by now.
    <<"MsgRequestVote", n2, n1>>, <<"MsgRequestVoteResponse", n1, n2>>, <<"Campaign", n1, n1>>, <<"MsgAppend", n2, n1>>,
    <<"MsgRequestVote", n1, n3>>, <<"MsgAppend", n2, n3>>, <<"MsgRequestVoteResponse", n3, n1>>
>>

-----------------------------------------------------------------------------
Turn(kind, from, to) ==
    \/ at < Len(Script) /\ Script[at + 1] = <<kind, from, to>> /\ at' = at + 1
    \/ at = Len(Script) /\ at' = at

Stands(i) == Turn("Campaign", i, i) /\ Campaign(i)
Asks(i) == Turn("ClientRequest", i, i) /\ ClientRequest(i)
Beats(i) == Turn("Heartbeat", i, i) /\ Heartbeat(i)
Votes(m) == Turn(m.type, m.from, m.to) /\ HandleRequestVote(m)
Wins(m) == Turn(m.type, m.from, m.to) /\ HandleRequestVoteResponse(m)
Writes(m) == Turn(m.type, m.from, m.to) /\ HandleAppend(m)
Learns(m) == Turn(m.type, m.from, m.to) /\ HandleAppendResponse(m)
Hears(m) == Turn(m.type, m.from, m.to) /\ HandleHeartbeat(m)
Meets(m) == Turn(m.type, m.from, m.to) /\ HandleHeartbeatResponse(m)
Compacts(i) == Turn("Compact", i, i) /\ Compact(i)
Restores(m) == Turn(m.type, m.from, m.to) /\ HandleSnapshot(m)
Tells(i, j, reached) == Turn("ReportSnapshot", i, j) /\ ReportSnapshot(i, j, reached)

ScriptedNext ==
    \/ \E i \in Server : Stands(i)
    \/ \E i \in Server : Asks(i)
    \/ \E i \in Server : Beats(i)
    \/ \E m \in DOMAIN messages : Votes(m)
    \/ \E m \in DOMAIN messages : Wins(m)
    \/ \E m \in DOMAIN messages : Writes(m)
    \/ \E m \in DOMAIN messages : Learns(m)
    \/ \E m \in DOMAIN messages : Hears(m)
    \/ \E m \in DOMAIN messages : Meets(m)
    \/ \E i \in Server : Compacts(i)
    \/ \E m \in DOMAIN messages : Restores(m)
    \/ \E i \in Server : \E j \in DOMAIN progress[i] : \E reached \in BOOLEAN : Tells(i, j, reached)

Scripted == Init /\ at = 0 /\ [][ScriptedNext]_<<vars, at>>
=============================================================================
