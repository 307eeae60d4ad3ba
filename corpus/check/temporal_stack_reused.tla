----------------------- MODULE temporal_stack_reused ------------------------
\* A stack whose numbers come back starves the one at the bottom, though taking is fair.
EXTENDS Naturals, Sequences
VARIABLE s
Init == s = <<>>
Push(i) == Len(s) < 2 /\ (\A k \in DOMAIN s : s[k] # i) /\ s' = Append(s, i)
Pop == s # <<>> /\ s' = SubSeq(s, 1, Len(s) - 1)
Next == Pop \/ \E i \in 1..2 : Push(i)
Spec == Init /\ [][Next]_s /\ WF_s(Next) /\ SF_s(Pop)
In(i) == \E k \in DOMAIN s : s[k] = i
Served == \A i \in 1..2 : In(i) ~> ~In(i)
=============================================================================
