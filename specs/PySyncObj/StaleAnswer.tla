----------------------------- MODULE StaleAnswer -----------------------------
(* How an answer that comes late makes five servers commit different entries at the same index: `next_node_idx` carries no term, so a server *)
(* that leads again takes an answer to what it sent in an earlier term for one to what it sends now.                                         *)
(*                                                                                                                                           *)
(* One behavior of PySyncObj, step by step. A step <<i, i>> is a timer of i; <<i, j>> is the first message under way from i to j.            *)
EXTENDS PySyncObj

CONSTANTS n1, n2, n3, n4, n5

VARIABLE at     \* how many steps have been taken

Script == <<
    \* n1 leads in term 1 with the votes of n2 and n4. It writes at index 2, and a client's value at 3.
    <<n1, n1>>, <<n1, n2>>, <<n1, n4>>, <<n2, n1>>, <<n4, n1>>, <<n1, n1>>, <<n1, n1>>,
    \* n2 has both, and says so twice; these answers stay under way.
    <<n1, n2>>, <<n1, n2>>,
    \* n3 hears of term 1, and leads in term 2 with the votes of n4 and n5. It writes another entry at index 2,
    <<n1, n3>>, <<n3, n1>>, <<n3, n3>>, <<n3, n4>>, <<n3, n5>>, <<n4, n3>>, <<n5, n3>>,
    \* which all take over. Index 3 is free again.
    <<n3, n1>>, <<n3, n1>>, <<n3, n2>>, <<n3, n2>>, <<n3, n4>>, <<n3, n5>>,
    \* n1 leads in term 3 with the votes of n4 and n5, after these have ignored what it sent in term 1. It writes at index 3.
    <<n1, n1>>, <<n1, n4>>, <<n1, n4>>, <<n1, n4>>, <<n1, n5>>, <<n1, n5>>, <<n1, n5>>, <<n1, n5>>, <<n4, n1>>, <<n5, n1>>,
    \* The answers of n2 arrive: it seems to have index 3. With n4, which does have it, that is a majority.
    <<n2, n1>>, <<n2, n1>>, <<n1, n4>>, <<n4, n1>>, <<n1, n1>>,
    \* n2, which never saw the entry of term 3, leads in term 4 with the votes of n3 and n5 (in term 3 it fails), writes its own at
    \* index 3, and commits that with the same two.
    <<n2, n2>>, <<n2, n2>>, <<n2, n3>>, <<n2, n3>>, <<n2, n3>>, <<n2, n5>>, <<n2, n5>>, <<n3, n2>>, <<n3, n2>>, <<n5, n2>>,
    <<n2, n3>>, <<n2, n5>>, <<n3, n2>>, <<n5, n2>>, <<n2, n2>>
>>

-----------------------------------------------------------------------------
Turn(i, j) == at < Len(Script) /\ Script[at + 1] = <<i, j>> /\ at' = at + 1

(* The second step of n1 in term 1 is a client's request, which is no timer. *)
Fires(i) == Turn(i, i) /\ Timeout(i)
Beats(i) == Turn(i, i) /\ at # 5 /\ Heartbeat(i)
Asks(i) == Turn(i, i) /\ at = 5 /\ ClientRequest(i)
Votes(m) == Turn(m.from, m.to) /\ HandleRequestVote(m)
Wins(m) == Turn(m.from, m.to) /\ HandleResponseVote(m)
Writes(m) == Turn(m.from, m.to) /\ HandleAppendEntries(m)
Learns(m) == Turn(m.from, m.to) /\ HandleNextNodeIdx(m)

ScriptedNext ==
    \/ \E i \in Server : Fires(i)
    \/ \E i \in Server : Beats(i)
    \/ \E i \in Server : Asks(i)
    \/ \E m \in DOMAIN messages : Votes(m)
    \/ \E m \in DOMAIN messages : Wins(m)
    \/ \E m \in DOMAIN messages : Writes(m)
    \/ \E m \in DOMAIN messages : Learns(m)

(* All steps of the script can be taken. *)
NotYet == at < Len(Script)

Scripted == Init /\ at = 0 /\ [][ScriptedNext]_<<vars, at>>
=============================================================================
