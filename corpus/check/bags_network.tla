---------------------------- MODULE bags_network ----------------------------
EXTENDS Naturals, Bags
VARIABLES net, sent
Init == net = EmptyBag /\ sent = 0
Send(m) == sent < 3 /\ net' = net (+) SetToBag({m}) /\ sent' = sent + 1
Deliver(m) == BagIn(m, net) /\ net' = net (-) SetToBag({m}) /\ UNCHANGED sent
Reset == sent = 3 /\ net = EmptyBag /\ sent' = 0 /\ net' = net
Next == (\E m \in {"a", "b"} : Send(m) \/ Deliver(m)) \/ Reset
Inv == BagCardinality(net) <= 3 /\ \A m \in BagToSet(net) : CopiesIn(m, net) > 0
=============================================================================
