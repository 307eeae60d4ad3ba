---- MODULE string_order_choose ----
\* Strings are ordered by first appearance, with the words of TLC's own modules; `q` is none of those of Naturals.
EXTENDS Naturals
VARIABLE x
Init == x = CHOOSE s \in {"zz", "q"} : TRUE
Next == UNCHANGED x
Inv == x # "q"
====
