---- MODULE dropped_view_later ----
\* Only the third step leaves the constraint, into a view that was seen in the beginning.
EXTENDS Naturals
VARIABLES x, w
Init == x = 0 /\ w = 0
Next == x' = (x + 1) % 3 /\ w' = w + 1
V == x
Con == w < 3
Inv == w # 3
====
