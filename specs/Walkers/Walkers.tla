------------------------------ MODULE Walkers ------------------------------
(* Walkers on a road of a given length. At its end a walker starts again, when it is its turn. With four walkers and *)
(* a road of length 21 there are close to a million states: what does it cost to check that walker 1 arrives?        *)
EXTENDS Naturals
CONSTANTS N, Length
VARIABLES at, turn
vars == <<at, turn>>

Walker == 1..N

Init == at = [w \in Walker |-> 0] /\ turn = 1
Walk(w) == at[w] < Length /\ at' = [at EXCEPT ![w] = @ + 1] /\ UNCHANGED turn
Restart(w) == at[w] = Length /\ turn = w /\ at' = [at EXCEPT ![w] = 0] /\ turn' = (w % N) + 1
Next == \E w \in Walker : Walk(w) \/ Restart(w)

Safe == Init /\ [][Next]_vars
Spec == Safe /\ WF_vars(Next)
FairToAll == Safe /\ \A w \in Walker : WF_vars(Walk(w) \/ Restart(w))

Arrives == at[1] = 0 ~> at[1] = Length
AllArrive == \A w \in Walker : at[w] = 0 ~> at[w] = Length
=============================================================================
