------------------------------- MODULE paxos -------------------------------
\* Single-decree Paxos with two ballots.
EXTENDS Integers
CONSTANTS Value, Acceptor, None
VARIABLES maxBal, maxVBal, maxVal, msgs
vars == <<maxBal, maxVBal, maxVal, msgs>>
Ballot == 0..1
Quorum == {Q \in SUBSET Acceptor : Q # {} /\ \A R \in SUBSET Acceptor : (R \cap Q = {}) => \E a \in Q : a \notin R}
Big == {{a, b} : a, b \in Acceptor} \ {{a} : a \in Acceptor}
Send(m) == msgs' = msgs \cup {m}
Init == /\ maxBal = [a \in Acceptor |-> -1]
        /\ maxVBal = [a \in Acceptor |-> -1]
        /\ maxVal = [a \in Acceptor |-> None]
        /\ msgs = {}
Phase1a(b) == Send([type |-> "1a", bal |-> b]) /\ UNCHANGED <<maxBal, maxVBal, maxVal>>
Phase1b(a) == \E m \in msgs : /\ m.type = "1a"
                              /\ m.bal > maxBal[a]
                              /\ maxBal' = [maxBal EXCEPT ![a] = m.bal]
                              /\ Send([type |-> "1b", acc |-> a, bal |-> m.bal, mbal |-> maxVBal[a], mval |-> maxVal[a]])
                              /\ UNCHANGED <<maxVBal, maxVal>>
Phase2a(b, v) == /\ ~\E m \in msgs : m.type = "2a" /\ m.bal = b
                 /\ \E Q \in Big :
                      LET Q1b == {m \in msgs : m.type = "1b" /\ m.acc \in Q /\ m.bal = b}
                          Q1bv == {m \in Q1b : m.mbal >= 0}
                      IN /\ \A a \in Q : \E m \in Q1b : m.acc = a
                         /\ \/ Q1bv = {}
                            \/ \E m \in Q1bv : m.mval = v /\ \A mm \in Q1bv : m.mbal >= mm.mbal
                 /\ Send([type |-> "2a", bal |-> b, val |-> v])
                 /\ UNCHANGED <<maxBal, maxVBal, maxVal>>
Phase2b(a) == \E m \in msgs : /\ m.type = "2a"
                              /\ m.bal >= maxBal[a]
                              /\ maxBal' = [maxBal EXCEPT ![a] = m.bal]
                              /\ maxVBal' = [maxVBal EXCEPT ![a] = m.bal]
                              /\ maxVal' = [maxVal EXCEPT ![a] = m.val]
                              /\ Send([type |-> "2b", acc |-> a, bal |-> m.bal, val |-> m.val])
Next == \/ \E b \in Ballot : Phase1a(b) \/ \E v \in Value : Phase2a(b, v)
        \/ \E a \in Acceptor : Phase1b(a) \/ Phase2b(a)
Spec == Init /\ [][Next]_vars
Chosen(v) == \E b \in Ballot, Q \in Big : \A a \in Q : [type |-> "2b", acc |-> a, bal |-> b, val |-> v] \in msgs
Agreement == \A v, w \in Value : Chosen(v) /\ Chosen(w) => v = w
=============================================================================
