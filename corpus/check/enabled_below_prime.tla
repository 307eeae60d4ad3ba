---- MODULE enabled_below_prime ----
\* ENABLED in an initial predicate and below a prime sees the state that is being built.
EXTENDS Naturals
VARIABLES x, y

Up == x < 4 /\ x' = x + 1 /\ y' = y
Double == /\ x > 0
          /\ y < 3
          /\ y' = y + 1
          /\ x' \in {x, 2 * x}
          /\ (ENABLED Up)'

Init == x \in 0..5 /\ y = 0 /\ ENABLED (Up \/ Double)
Next == Up \/ Double

Inv == x <= 4
====
