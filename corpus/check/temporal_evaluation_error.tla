--------------------- MODULE temporal_evaluation_error ----------------------
\* The property cannot be evaluated in one of the states.
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<1, 2>>
Next == q # <<>> /\ q' = Tail(q)
Spec == Init /\ [][Next]_q /\ WF_q(Next)
Ends == <>(Head(q) = 3)
=============================================================================
