---------------------- MODULE action_primed_expression ----------------------
\* Priming a state function primes its variables.
EXTENDS Naturals
VARIABLES x, y
sum == x + y
Init == x = 0 /\ y = 0
Next == /\ x' \in {x, (x + 1) % 3}
        /\ y' \in {y, (y + 1) % 3}
        /\ sum' <= 3
        /\ (x + y)' # sum
=============================================================================
