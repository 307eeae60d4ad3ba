------------------------- MODULE refinement_mapping -------------------------
\* A queue of two cells implements a bounded set of items in flight.
EXTENDS Naturals, Sequences
VARIABLES in, mid, out
vars == <<in, mid, out>>
---- MODULE Flight ----
EXTENDS Naturals
VARIABLE n
FInit == n = 0
FNext == (n < 2 /\ n' = n + 1) \/ (n > 0 /\ n' = n - 1)
FSpec == FInit /\ [][FNext]_n
=======================
Init == in = <<>> /\ mid = <<>> /\ out = 0
Put == in = <<>> /\ \E v \in 1..2 : in' = <<v>> /\ UNCHANGED <<mid, out>>
Move == in # <<>> /\ mid = <<>> /\ mid' = in /\ in' = <<>> /\ UNCHANGED out
Get == mid # <<>> /\ out' = Head(mid) /\ mid' = <<>> /\ UNCHANGED in
Spec == Init /\ [][Put \/ Move \/ Get]_vars
TypeOk == in \in Seq(1..2) /\ mid \in Seq(1..2) /\ out \in 0..2
Abs == INSTANCE Flight WITH n <- Len(in) + Len(mid)
Abstract == Abs!FSpec
=============================================================================
