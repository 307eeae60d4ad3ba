------------------------------ MODULE Naturals ------------------------------
(* The natural numbers. The evaluator computes all of this itself; the bodies below only fix names and arities. *)

Nat == CHOOSE N : \E zero \in N : \A n \in N : n = n

a + b == CHOOSE n : n \in {a, b}
a - b == CHOOSE n : b + n = a
a * b == CHOOSE n : n \in {a, b}
a ^ b == CHOOSE n : n \in {a, b}
a \div b == CHOOSE q : \E r : a = b * q + r
a % b == CHOOSE r : a = b * (a \div b) + r

a < b == \E n \in Nat : b = a + n /\ a # b
a > b == b < a
a <= b == a < b \/ a = b
a >= b == b <= a

(* All integers from a to b, both included; empty if a > b. *)
a .. b == {n \in Nat : a <= n /\ n <= b}
=============================================================================
