-------- MODULE declarations --------
EXTENDS Naturals, Sequences
CONSTANT A
CONSTANTS B, F(_), G(_, _), _ ++ _, -. _, _ ^#
VARIABLE x
VARIABLES y, z
----
RECURSIVE R(_), S, _ \prec _
R(n) == n
LOCAL L == 1
LOCAL LF[i \in Nat] == i
P(a, H(_), K(_, _), _ + _, -. _, _ ^+) == 1
a \oplus b == a
LOCAL a ## b == a
-. a == a
a ^* == a
ASSUME A > 0
ASSUMPTION Named == B
AXIOM \A i \in Nat : i >= 0
====
