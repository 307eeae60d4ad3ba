----------------------------- MODULE refinement -----------------------------
\* An hour clock that ticks in two halves implements an hour clock.
EXTENDS Naturals
VARIABLES half, hr
---- MODULE Clock ----
EXTENDS Naturals
VARIABLE h
CInit == h \in 0..3
CNext == h' = (h + 1) % 4
CSpec == CInit /\ [][CNext]_h
======================
Init == half = FALSE /\ hr \in 0..3
Next == IF half THEN half' = FALSE /\ hr' = (hr + 1) % 4 ELSE half' = TRUE /\ hr' = hr
Spec == Init /\ [][Next]_<<half, hr>>
High == INSTANCE Clock WITH h <- hr
HighSpec == High!CSpec
=============================================================================
