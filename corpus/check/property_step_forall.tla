------------------------ MODULE property_step_forall ------------------------
EXTENDS Naturals
VARIABLE f
Init == f = [i \in 1..2 |-> 0]
Next == \E i \in 1..2 : f' = [f EXCEPT ![i] = (@ + 1) % 3]
Spec == Init /\ [][Next]_f
Steps == [][\E i \in 1..2 : \A j \in (1..2) \ {i} : f'[j] = f[j]]_f
=============================================================================
