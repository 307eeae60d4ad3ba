---- MODULE axiom ----
\* An axiom is something to prove with: it is never evaluated, whatever it says.
EXTENDS Naturals
VARIABLE x
AXIOM Induction == \A f : f[0] /\ (\A n \in Nat : f[n] => f[n + 1]) => \A n \in Nat : f[n]
AXIOM 1 = 2
ASSUME Sane == 1 # 2
Init == x = 0
Next == x' = 1 - x
====
