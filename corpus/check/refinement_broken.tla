------------------------- MODULE refinement_broken -------------------------
EXTENDS Naturals
VARIABLES hr
---- MODULE Clock2 ----
EXTENDS Naturals
VARIABLE h
CInit == h = 0
CNext == h' = (h + 1) % 4
CSpec == CInit /\ [][CNext]_h
=======================
Init == hr = 0
Next == hr' = (hr + 2) % 4 \/ hr' = (hr + 1) % 4
Spec == Init /\ [][Next]_hr
High == INSTANCE Clock2 WITH h <- hr
HighSpec == High!CSpec
=============================================================================
