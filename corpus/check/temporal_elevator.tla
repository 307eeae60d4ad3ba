------------------------- MODULE temporal_elevator --------------------------
\* Who calls again and again where the elevator stands keeps it from all others.
EXTENDS Naturals
CONSTANT Floors
VARIABLES at, up, calls
vars == <<at, up, calls>>
F == 1..Floors
Init == at = 1 /\ up = TRUE /\ calls = {}
Call(f) == f \notin calls /\ calls' = calls \cup {f} /\ UNCHANGED <<at, up>>
Serve == at \in calls /\ calls' = calls \ {at} /\ UNCHANGED <<at, up>>
Ahead == \E f \in calls : IF up THEN f > at ELSE f < at
Move == at \notin calls /\ Ahead /\ at' = (IF up THEN at + 1 ELSE at - 1) /\ UNCHANGED <<up, calls>>
Flip == at \notin calls /\ ~Ahead /\ calls # {} /\ up' = ~up /\ UNCHANGED <<at, calls>>
Next == Serve \/ Move \/ Flip \/ \E f \in F : Call(f)
Spec == Init /\ [][Next]_vars /\ WF_vars(Serve \/ Move \/ Flip)
Served == \A f \in F : (f \in calls) ~> (f \notin calls)
=============================================================================
