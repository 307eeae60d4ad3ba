---------------------- MODULE temporal_elevator_strong ----------------------
\* With strong fairness of serving at each floor, and of moving and turning.
EXTENDS Naturals
CONSTANT Floors
VARIABLES at, up, calls
vars == <<at, up, calls>>
F == 1..Floors
Init == at = 1 /\ up = TRUE /\ calls = {}
Call(f) == f \notin calls /\ f # at /\ calls' = calls \cup {f} /\ UNCHANGED <<at, up>>
Serve(f) == at = f /\ f \in calls /\ calls' = calls \ {f} /\ UNCHANGED <<at, up>>
Ahead == \E f \in calls : IF up THEN f > at ELSE f < at
Move == at \notin calls /\ Ahead /\ at' = (IF up THEN at + 1 ELSE at - 1) /\ UNCHANGED <<up, calls>>
Flip == at \notin calls /\ ~Ahead /\ calls # {} /\ up' = ~up /\ UNCHANGED <<at, calls>>
Next == Move \/ Flip \/ \E f \in F : Call(f) \/ Serve(f)
Spec == Init /\ [][Next]_vars /\ WF_vars(Move) /\ SF_vars(Flip) /\ \A f \in F : SF_vars(Serve(f))
Served == \A f \in F : (f \in calls) ~> (f \notin calls)
=============================================================================
