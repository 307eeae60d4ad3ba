------------------------ MODULE enabled_two_for_one -------------------------
\* Two variables of an instance stand for one of ours: inside of ENABLED their next values are independent of each other.
EXTENDS Naturals
VARIABLE clock

--------------------------- MODULE Pair ---------------------------
VARIABLES left, right
Part == ENABLED (left' = 0 /\ right' = 1)
PartWhenApart == ENABLED (left # right /\ left' = 0 /\ right' = 1)
====================================================================
P == INSTANCE Pair WITH left <- clock, right <- clock

Init == clock = 0
Next == clock' = (clock + 1) % 3
Spec == Init /\ [][Next]_clock
Independent == P!Part /\ ~P!PartWhenApart
=============================================================================
