------------------------- MODULE model_values_typed -------------------------
CONSTANTS Nodes, None
VARIABLE x
Init == x = None
Next == \E n \in Nodes : x' = n
Inv == x \in Nodes \cup {None}
=============================================================================
