---- MODULE member_listed_first ----
\* A union asks its listed part first: values of another kind are found there and never compared with the rest.
EXTENDS Naturals, Sequences
CONSTANT None
VARIABLES s, r

Option(S) == S \cup {None}
Chosen == SUBSET {1, 2} \union {None}
Records == [set : Chosen, name : (1..2) \X (1..2) \cup {"none"}, seq : Option(Seq(1..2)), n : Nat \cup {"none"}]

Init == s \in Chosen /\ r = [set |-> s, name |-> "none", seq |-> None, n |-> "none"]
Next == /\ s' \in Chosen
        /\ r' = [r EXCEPT !.set = s', !.seq = IF s = None THEN @ ELSE <<1>>]

Inv == /\ s \in Chosen
       /\ r \in Records
       /\ r.seq \in Option(Seq(1..2))
       /\ {None} \cap Option(SUBSET {3}) = {None}
       /\ LET Names == (SUBSET {1}) \cup {"none"} IN r.name \in Names
====
