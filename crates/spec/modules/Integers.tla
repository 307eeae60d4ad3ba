------------------------------ MODULE Integers ------------------------------
(* The integers: Naturals, and negative numbers. *)
EXTENDS Naturals

Int == Nat \cup {0 - n : n \in Nat}

-. a == 0 - a
=============================================================================
