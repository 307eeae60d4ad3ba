--------------------------- MODULE reader_writer ---------------------------
EXTENDS Naturals, FiniteSets, Sequences
VARIABLES readers, writer, waiting
vars == <<readers, writer, waiting>>
Actors == 1..3
None == 0
Queued(a) == \E i \in 1..Len(waiting) : waiting[i][2] = a
Busy(a) == a \in readers \/ writer = a \/ Queued(a)
Init == readers = {} /\ writer = None /\ waiting = <<>>
Ask(a) == ~Busy(a) /\ \E k \in {"read", "write"} : waiting' = Append(waiting, <<k, a>>) /\ UNCHANGED <<readers, writer>>
Admit == /\ waiting # <<>>
         /\ writer = None
         /\ LET p == Head(waiting)
            IN CASE p[1] = "read" -> readers' = readers \cup {p[2]} /\ UNCHANGED writer
                 [] p[1] = "write" -> readers = {} /\ writer' = p[2] /\ UNCHANGED readers
         /\ waiting' = Tail(waiting)
Stop == \/ writer # None /\ writer' = None /\ UNCHANGED <<readers, waiting>>
        \/ \E a \in readers : readers' = readers \ {a} /\ UNCHANGED <<writer, waiting>>
Next == (\E a \in Actors : Ask(a)) \/ Admit \/ Stop
Spec == Init /\ [][Next]_vars
Exclusive == writer # None => readers = {}
=============================================================================
