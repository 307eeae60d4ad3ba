------------------------------- MODULE Turns -------------------------------
VARIABLE busy
Init == ~busy
Next == busy' = ~busy
Spec == Init /\ [][Next]_busy /\ WF_busy(busy /\ Next)
=============================================================================
