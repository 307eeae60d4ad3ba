---- MODULE random_sizes ----
(* A constant that is drawn at random is drawn once, here the sizes of random sets of subsets. *)
EXTENDS Integers, Randomization
VARIABLE x

Sizes == TestRandomSetOfSubsets(20, 3, 1..6)

Init == x = 0
Next == x < 40 /\ x' = x + 1

Same == Sizes = Sizes /\ x <= 40
====
