------------------------- MODULE action_parameters -------------------------
EXTENDS Naturals
CONSTANTS Procs
VARIABLES owner, want
Request(p) == ~want[p] /\ want' = [want EXCEPT ![p] = TRUE] /\ owner' = owner
Grant(p, q) == owner = q /\ want[p] /\ owner' = p /\ want' = [want EXCEPT ![p] = FALSE]
Init == owner = 0 /\ want = [p \in Procs |-> FALSE]
Next == \/ \E p \in Procs : Request(p)
        \/ \E p \in Procs, q \in Procs \cup {0} : Grant(p, q)
Exclusive == owner \in Procs \cup {0}
=============================================================================
