------------------------- MODULE graph_reachability -------------------------
EXTENDS Naturals
VARIABLES seen, todo
Edges == {<<1, 2>>, <<2, 3>>, <<3, 1>>, <<3, 4>>, <<5, 6>>}
Succ(n) == {e[2] : e \in {e \in Edges : e[1] = n}}
Init == seen = {} /\ todo = {1}
Visit == \E n \in todo : seen' = seen \cup {n} /\ todo' = (todo \cup Succ(n)) \ (seen \cup {n})
Done == todo = {} /\ UNCHANGED <<seen, todo>>
Next == Visit \/ Done
Sound == 5 \notin seen /\ (todo = {} => seen = 1..4)
=============================================================================
