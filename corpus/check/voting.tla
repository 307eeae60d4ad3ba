------------------------------- MODULE voting -------------------------------
\* The voting algorithm below Paxos refines consensus.
EXTENDS Integers, FiniteSets
CONSTANTS Value, Acceptor
VARIABLES votes, maxBal
---- MODULE ConsensusCore ----
CONSTANT Value
VARIABLE chosen
CInit == chosen = {}
CNext == chosen = {} /\ \E v \in Value : chosen' = {v}
CSpec == CInit /\ [][CNext]_chosen
==============================
Ballot == 0..1
Quorum == {Q \in SUBSET Acceptor : Cardinality(Q) = 2}
VotedFor(a, b, v) == <<b, v>> \in votes[a]
ChosenAt(b, v) == \E Q \in Quorum : \A a \in Q : VotedFor(a, b, v)
chosen == {v \in Value : \E b \in Ballot : ChosenAt(b, v)}
DidNotVoteAt(a, b) == \A v \in Value : ~VotedFor(a, b, v)
CannotVoteAt(a, b) == maxBal[a] > b /\ DidNotVoteAt(a, b)
NoneOtherChoosableAt(b, v) == \E Q \in Quorum : \A a \in Q : VotedFor(a, b, v) \/ CannotVoteAt(a, b)
SafeAt(b, v) == \A c \in 0..(b - 1) : NoneOtherChoosableAt(c, v)
Init == votes = [a \in Acceptor |-> {}] /\ maxBal = [a \in Acceptor |-> -1]
IncreaseMaxBal(a, b) == b > maxBal[a] /\ maxBal' = [maxBal EXCEPT ![a] = b] /\ UNCHANGED votes
VoteFor(a, b, v) == /\ maxBal[a] <= b
                    /\ DidNotVoteAt(a, b)
                    /\ \A c \in Acceptor \ {a} : \A w \in Value : VotedFor(c, b, w) => w = v
                    /\ SafeAt(b, v)
                    /\ votes' = [votes EXCEPT ![a] = @ \cup {<<b, v>>}]
                    /\ maxBal' = [maxBal EXCEPT ![a] = b]
Next == \E a \in Acceptor, b \in Ballot : IncreaseMaxBal(a, b) \/ \E v \in Value : VoteFor(a, b, v)
Spec == Init /\ [][Next]_<<votes, maxBal>>
TypeOk == votes \in [Acceptor -> SUBSET (Ballot \X Value)] /\ maxBal \in [Acceptor -> Ballot \cup {-1}]
OneValuePerBallot == \A a, b \in Acceptor, c \in Ballot, v, w \in Value : VotedFor(a, c, v) /\ VotedFor(b, c, w) => v = w
C == INSTANCE ConsensusCore
Consensus == C!CSpec
=============================================================================
