------------------------------ MODULE Election ------------------------------
(* How ZooKeeper elects a leader (fast leader election). Each server proposes itself, tells everybody what it proposes, and takes   *)
(* over a proposal that is better than its own. When a quorum proposes the same, a server waits a little for something better, and  *)
(* then decides.                                                                                                                    *)
(*                                                                                                                                  *)
(* In a server, one thread receives notifications, and another one takes part in the election. Between them is a queue.             *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Server,                         \* who takes part: "n1", "n2" and so on; of equal proposals the highest number wins
    Zxid,                           \* of each server: the last transaction in its log
    Epoch,                          \* of each server: the last epoch that it has taken part in
    MaxRestarts,                    \* how often servers crash and start again
    LOOKING, FOLLOWING, LEADING,    \* what a server is doing
    Nobody                          \* proposed before a server looks for a leader

VARIABLES
    state,      \* of each server: what it is doing
    looks,      \* of each server: whether it has begun to look for a leader
    round,      \* of each server: the number of the election that it takes part in
    proposal,   \* of each server: whom it proposes
    votes,      \* of each server: what the servers have last told it in this election
    others,     \* of each server: what servers have told it that have a leader already
    decides,    \* of each server: whether it has seen a quorum, and decides unless something better comes
    vote,       \* of each server: whom it has decided for
    queue,      \* of each server: what it has received and not handled
    messages,   \* what is under way: a bag
    restarts    \* how often servers have crashed

NoLogs == [i \in Server |-> 0]
NoEpochs == [i \in Server |-> 0]
(* The same log, but n1 has heard of a later leader. 11 is the first transaction of epoch 1. *)
SameLogs == [i \in Server |-> 11]
NewerFirst == [i \in Server |-> IF i = "n1" THEN 2 ELSE 1]

serverVars == <<state, looks, round, proposal, votes, others, decides, vote, queue>>
vars == <<serverVars, messages, restarts>>

-----------------------------------------------------------------------------
(* Bags of messages. *)

Add(bag, m) == IF m \in DOMAIN bag THEN [bag EXCEPT ![m] = @ + 1] ELSE [x \in DOMAIN bag \union {m} |-> IF x = m THEN 1 ELSE bag[x]]
Remove(bag, m) == IF bag[m] > 1 THEN [bag EXCEPT ![m] = @ - 1] ELSE [x \in DOMAIN bag \ {m} |-> bag[x]]

RECURSIVE AddAll(_, _)
AddAll(bag, list) == IF list = <<>> THEN bag ELSE AddAll(Add(bag, Head(list)), Tail(list))

-----------------------------------------------------------------------------
(* A server, as a record; what it does is a function from this record and a notification to the record afterwards and to a list of     *)
(* messages.                                                                                                                           *)

Of(i) ==
    [state |-> state[i], looks |-> looks[i], round |-> round[i], proposal |-> proposal[i], votes |-> votes[i],
     others |-> others[i], decides |-> decides[i], vote |-> vote[i], queue |-> queue[i]]

Becomes(i, s) ==
    /\ state' = [state EXCEPT ![i] = s.state]
    /\ looks' = [looks EXCEPT ![i] = s.looks]
    /\ round' = [round EXCEPT ![i] = s.round]
    /\ proposal' = [proposal EXCEPT ![i] = s.proposal]
    /\ votes' = [votes EXCEPT ![i] = s.votes]
    /\ others' = [others EXCEPT ![i] = s.others]
    /\ decides' = [decides EXCEPT ![i] = s.decides]
    /\ vote' = [vote EXCEPT ![i] = s.vote]
    /\ queue' = [queue EXCEPT ![i] = s.queue]

Number == [i \in Server |-> CHOOSE k \in 1 .. 9 : "n" \o ToString(k) = i]

Itself(i) == [leader |-> i, zxid |-> Zxid[i], epoch |-> Epoch[i]]
Proposed(n) == [leader |-> n.leader, zxid |-> n.zxid, epoch |-> n.epoch]

Better(a, b) ==
    \/ a.epoch > b.epoch
    \/ a.epoch = b.epoch /\ a.zxid > b.zxid
    \/ a.epoch = b.epoch /\ a.zxid = b.zxid /\ Number[a.leader] > Number[b.leader]

IsQuorum(Q) == 2 * Cardinality(Q) > Cardinality(Server)

(* What a server says of itself to j. *)
Says(i, s, j) ==
    [from |-> i, to |-> j, leader |-> s.proposal.leader, zxid |-> s.proposal.zxid, epoch |-> s.proposal.epoch,
     round |-> s.round, state |-> LOOKING]

RECURSIVE ToAll(_, _, _)
ToAll(i, s, servers) ==
    IF servers = {} THEN <<>>
    ELSE LET j == CHOOSE j \in servers : TRUE IN <<Says(i, s, j)>> \o ToAll(i, s, servers \ {j})

(* The last word of each server counts. *)
Put(heard, n) == [j \in DOMAIN heard \union {n.from} |-> IF j = n.from THEN n ELSE heard[j]]

(* The server has a leader. *)
Decided(i, s, n) ==
    [s EXCEPT !.state = IF n.leader = i THEN LEADING ELSE FOLLOWING,
              !.decides = FALSE,
              !.looks = FALSE,
              !.votes = <<>>,
              !.others = <<>>,
              !.queue = <<>>,
              !.vote = [leader |-> n.leader, zxid |-> n.zxid, epoch |-> n.epoch, round |-> n.round]]

(* Counts a notification of a server that looks for a leader, too. *)
Counted(s, n) ==
    LET heard == Put(s.votes, n)
        agree == {j \in DOMAIN heard : Proposed(heard[j]) = s.proposal /\ heard[j].round = s.round}
    IN  [s EXCEPT !.votes = heard, !.decides = IsQuorum(agree)]

HandleLooking(i, s, n) ==
    CASE n.round > s.round ->
           LET own == Itself(i)
               next == [s EXCEPT !.round = n.round,
                                 !.votes = <<>>,
                                 !.proposal = IF Better(Proposed(n), own) THEN Proposed(n) ELSE own]
           IN  [server |-> Counted(next, n), sent |-> ToAll(i, next, Server)]
      [] n.round < s.round -> [server |-> s, sent |-> <<>>]
      [] n.round = s.round /\ Better(Proposed(n), s.proposal) ->
           LET next == [s EXCEPT !.proposal = Proposed(n)]
           IN  [server |-> Counted(next, n), sent |-> ToAll(i, next, Server)]
      [] OTHER -> [server |-> Counted(s, n), sent |-> <<>>]

(* The leader that the others name must have said that it leads, unless this server itself is meant. *)
IsLed(i, s, heard, n) ==
    IF n.leader = i THEN s.round = n.round ELSE n.leader \in DOMAIN heard /\ heard[n.leader].state = LEADING

Agree(heard, n) ==
    {j \in DOMAIN heard : Proposed(heard[j]) = Proposed(n) /\ heard[j].round = n.round /\ heard[j].state # LOOKING}

HandleLed(i, s, n) ==
    LET voted == IF n.round = s.round THEN Put(s.votes, n) ELSE s.votes
        agree == {j \in DOMAIN voted : Proposed(voted[j]) = Proposed(n) /\ voted[j].round = n.round}
        next == [s EXCEPT !.votes = voted, !.others = Put(s.others, n)]
    IN  CASE n.round = s.round /\ IsQuorum(agree) /\ IsLed(i, s, voted, n) -> Decided(i, s, n)
          [] OTHER ->
               IF IsQuorum(Agree(next.others, n)) /\ IsLed(i, next, next.others, n)
               THEN Decided(i, [next EXCEPT !.round = n.round], n)
               ELSE next

HandleAny(i, s, n) ==
    IF n.state = LOOKING THEN HandleLooking(i, s, n) ELSE [server |-> HandleLed(i, s, n), sent |-> <<>>]

-----------------------------------------------------------------------------
(* A server that has just started. *)
Fresh(i) ==
    [state |-> LOOKING, looks |-> FALSE, round |-> 0, proposal |-> [leader |-> Nobody, zxid |-> -1, epoch |-> 0], votes |-> <<>>,
     others |-> <<>>, decides |-> FALSE, vote |-> [leader |-> i, zxid |-> Zxid[i], epoch |-> Epoch[i], round |-> -1], queue |-> <<>>]

Init ==
    /\ state = [i \in Server |-> Fresh(i).state]
    /\ looks = [i \in Server |-> Fresh(i).looks]
    /\ round = [i \in Server |-> Fresh(i).round]
    /\ proposal = [i \in Server |-> Fresh(i).proposal]
    /\ votes = [i \in Server |-> Fresh(i).votes]
    /\ others = [i \in Server |-> Fresh(i).others]
    /\ decides = [i \in Server |-> Fresh(i).decides]
    /\ vote = [i \in Server |-> Fresh(i).vote]
    /\ queue = [i \in Server |-> Fresh(i).queue]
    /\ messages = <<>>
    /\ restarts = 0

(* Server i begins to look for a leader: it proposes itself. *)
LookForLeader(i) ==
    /\ state[i] = LOOKING
    /\ ~looks[i]
    /\ LET s == [Of(i) EXCEPT !.looks = TRUE, !.round = @ + 1, !.proposal = Itself(i)]
       IN  /\ Becomes(i, s)
           /\ messages' = AddAll(messages, ToAll(i, s, Server))
    /\ UNCHANGED restarts

(* A server receives a notification. If it looks for a leader, it keeps the notification, and tells a server that is behind. Otherwise it *)
(* tells a server that looks for a leader who leads.                                                                                      *)
Receive(m) ==
    /\ LET i == m.to
           s == Of(i)
           left == Remove(messages, m)
           leader == [from |-> i, to |-> m.from, leader |-> vote[i].leader, zxid |-> vote[i].zxid, epoch |-> vote[i].epoch,
                      round |-> vote[i].round, state |-> state[i]]
       IN  IF state[i] = LOOKING
           THEN /\ messages' = IF m.state = LOOKING /\ m.round < round[i] THEN Add(left, Says(i, s, m.from)) ELSE left
                /\ Becomes(i, [s EXCEPT !.queue = Append(@, m)])
           ELSE /\ messages' = IF m.state = LOOKING THEN Add(left, leader) ELSE left
                /\ UNCHANGED serverVars
    /\ UNCHANGED restarts

(* A server that looks for a leader handles the first notification of its queue. *)
Handle(i) ==
    /\ looks[i] /\ ~decides[i]
    /\ queue[i] # <<>>
    /\ LET done == HandleAny(i, [Of(i) EXCEPT !.queue = Tail(@)], Head(queue[i]))
       IN  /\ Becomes(i, done.server)
           /\ messages' = AddAll(messages, done.sent)
    /\ UNCHANGED restarts

(* A server that has seen a quorum looks at the first notification of its queue. What is not better it forgets. *)
HandleLate(i) ==
    /\ decides[i]
    /\ queue[i] # <<>>
    /\ LET n == Head(queue[i])
           s == [Of(i) EXCEPT !.queue = Tail(@)]
       IN  Becomes(i, IF Better(Proposed(n), s.proposal) THEN [s EXCEPT !.queue = Append(@, n), !.decides = FALSE] ELSE s)
    /\ UNCHANGED <<messages, restarts>>

(* Nothing better has come. *)
Decide(i) ==
    /\ decides[i]
    /\ queue[i] = <<>>
    /\ LET s == Of(i)
       IN  Becomes(i, Decided(i, s, [leader |-> s.proposal.leader, zxid |-> s.proposal.zxid, epoch |-> s.proposal.epoch, round |-> s.round]))
    /\ UNCHANGED <<messages, restarts>>

(* A server crashes and starts again. It stores nothing of an election, and loses what was on its way to it. *)
Restart(i) ==
    /\ restarts < MaxRestarts
    /\ Becomes(i, Fresh(i))
    /\ messages' = [m \in {m \in DOMAIN messages : m.to # i} |-> messages[m]]
    /\ restarts' = restarts + 1

Next ==
    \/ \E i \in Server : Restart(i)
    \/ \E i \in Server : LookForLeader(i)
    \/ \E m \in DOMAIN messages : Receive(m)
    \/ \E i \in Server : Handle(i)
    \/ \E i \in Server : HandleLate(i)
    \/ \E i \in Server : Decide(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Two servers may both lead for a while: whoever hears of something better in time follows that. Only one of them is followed by a      *)
(* quorum in the end; the phases after this one see to that. What does hold:                                                              *)
LeadersLeadThemselves == \A i \in Server : state[i] = LEADING => vote[i].leader = i
FollowersFollow == \A i \in Server : state[i] = FOLLOWING => vote[i].leader # i
=============================================================================
