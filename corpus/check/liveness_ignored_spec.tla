----------------------- MODULE liveness_ignored_spec -----------------------
\* Fairness over an action that is a disjunct.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
A == x' = 1 - x /\ UNCHANGED y
B == y' = 1 - y /\ UNCHANGED x
Spec == x = 0 /\ y = 0 /\ [][A \/ B]_vars /\ WF_vars(A) /\ \A i \in 1..2 : SF_vars(B)
=============================================================================
