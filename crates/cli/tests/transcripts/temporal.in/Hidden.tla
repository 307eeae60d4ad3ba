---- MODULE Hidden ----
EXTENDS Naturals
VARIABLES x, h
Init == x = 0 /\ h = 0
Next == x' = 1 - x /\ h' = (h + 1) % 101
Spec == Init /\ [][Next]_<<x, h>> /\ WF_<<x, h>>(Next)
V == x
Prop == []<>(h = 100)
====
