---- MODULE Mail ----
EXTENDS Naturals
VARIABLES box, time
Init == box = {[kind |-> "ask, or not", to |-> 1], [kind |-> "tell", to |-> 2]} /\ time = 0
Take(m) == m.to < time /\ box' = box \ {m} /\ UNCHANGED time
Pass == time' = time + 1 /\ UNCHANGED box
Next == (\E m \in box : Take(m)) \/ Pass
Early == time < 1
====
