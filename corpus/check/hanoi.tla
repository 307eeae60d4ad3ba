------------------------------- MODULE hanoi -------------------------------
EXTENDS Naturals, Sequences
VARIABLE t
Init == t = <<<<1, 2, 3>>, <<>>, <<>>>>
Move(i, j) == /\ t[i] # <<>>
              /\ IF t[j] = <<>> THEN TRUE ELSE Head(t[i]) < Head(t[j])
              /\ t' = [t EXCEPT ![i] = Tail(@), ![j] = <<Head(t[i])>> \o @]
Next == \E i, j \in 1..3 : i # j /\ Move(i, j)
NotDone == t[3] # <<1, 2, 3>>
=============================================================================
