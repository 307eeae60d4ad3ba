-------------- MODULE temporal_eventually_always_unfair_holds ---------------
\* Stopping is the very thing that is asked for; here every behavior stops, fair or not.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 5 /\ n' = n + 1
Spec == Init /\ [][Next]_n
Rests == \E v \in 0..5 : <>[](n = v)
=============================================================================
