------------------------ MODULE init_filtered_pairs -------------------------
\* Filters as the first choice of the initial predicate and as a later one; most of what remains is in the first half.
EXTENDS Naturals
VARIABLES pair, box
Boxes == [low : 0..4, high : 0..4]
Init == /\ pair \in {<<a, b>> \in (0..9) \X (0..9) : a + b < 9}
        /\ box \in {r \in Boxes : r.low < r.high /\ r.high < pair[1] + 2}
Next == \E d \in 1..2 : /\ pair' = <<(pair[1] + d) % 10, pair[2]>>
                        /\ UNCHANGED box
Small == pair[1] + pair[2] < 18
=============================================================================
