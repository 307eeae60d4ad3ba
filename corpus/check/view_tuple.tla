----------------------------- MODULE view_tuple -----------------------------
EXTENDS Naturals, Sequences
VARIABLES pos, trail
View == <<pos, Len(trail) > 2>>
Init == pos = 0 /\ trail = <<>>
Next == \E d \in {1, 2} : pos' = (pos + d) % 3 /\ trail' = Append(trail, d)
Inv == pos \in 0..2
=============================================================================
