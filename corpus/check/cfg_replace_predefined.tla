---- MODULE cfg_replace_predefined ----
\* `<-` may name TRUE, FALSE and BOOLEAN; what is replaced may have parameters.
EXTENDS Naturals
CONSTANTS Enabled, Values
VARIABLES x, b

Skip(k) == k > 1
Reset(k, v) == x' = k /\ b' = v
Init == x = 0 /\ b \in Values
Next == \/ Enabled /\ Skip(1) /\ x < 3 /\ x' = x + 1 /\ UNCHANGED b
        \/ \E k \in 1..2, v \in Values : Reset(k, v)
====
