-------------------------------- MODULE Reals --------------------------------
(* Real numbers. No tool of this kind computes with them: evaluating one of these names is an error. *)
EXTENDS Integers

Real == CHOOSE R : Int \subseteq R

a / b == CHOOSE r \in Real : r * b = a

Infinity == CHOOSE i : i \notin Real
=============================================================================
