----------------------- MODULE function_domain_grows -----------------------
EXTENDS Naturals, TLC
VARIABLE f
Init == f = <<>>
Next == \/ \E k \in {"a", "b"} : f' = (k :> 0) @@ f
        \/ \E k \in DOMAIN f : f' = [f EXCEPT ![k] = 1]
        \/ \E k \in DOMAIN f : f' = [x \in DOMAIN f \ {k} |-> f[x]]
=============================================================================
