---- MODULE CcfFollow ----
\* CCF's specification of its consensus, with what its logs may also show: batches of any size, nodes with and without pre-votes, and messages that are lost.
EXTENDS ccfraft

AnyBatch(i, j) == sentIndex[i][j]..Len(log[i])
AnyPreVoteStatus == preVoteStatus \in [Servers -> {{PreVoteCapable}, {PreVoteCapable, PreVoteEnabled}}]

Lose(i, k) ==
    /\ messages' = [messages EXCEPT ![i] = RemoveAt(@, k)]
    /\ UNCHANGED <<preVoteStatus, reconfigurationVars, serverVars, candidateVars, leaderVars, logVars>>

FollowNext == Next \/ \E i \in Servers : \E k \in DOMAIN messages[i] : Lose(i, k)
====
