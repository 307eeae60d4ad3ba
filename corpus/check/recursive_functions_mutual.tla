---- MODULE recursive_functions_mutual ----
\* Two functions that call each other; constants, and functions of the state.
EXTENDS Naturals
VARIABLE x

RECURSIVE isOdd
isEven[n \in Nat] == IF n = 0 THEN TRUE ELSE isOdd[n - 1]
isOdd[n \in Nat] == IF n = 0 THEN FALSE ELSE isEven[n - 1]

RECURSIVE down
up[n \in 0..x] == IF n = 0 THEN 0 ELSE down[n - 1] + 1
down[n \in 0..x] == IF n = 0 THEN x ELSE up[n - 1] + 2

ASSUME isEven[10] /\ isOdd[7] /\ ~isEven[1] /\ ~isOdd[0]

Init == x = 0
Next == x < 3 /\ x' = IF isEven[x] THEN x + 1 ELSE down[1]
Inv == up[x] + 4 >= x
====
