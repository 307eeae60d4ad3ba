---- MODULE string_order_symbols ----
\* Tokens of the modules have their places too: a comma comes before the strings, an operator before everything.
EXTENDS Naturals, Sequences
Least(S) == CHOOSE s \in S : TRUE
Q == LET later == "zz" IN later
ASSUME Least({"zz", "yy", ","}) = ","
ASSUME Least({"zz", ",", "=>"}) = "=>"
ASSUME Least({"zz", "Head", "Nat"}) = "Nat"
ASSUME Least({"Tail", "Naturals", "Least"}) = "Naturals"
ASSUME Least({"yy", "zz"}) = "zz"
ASSUME Least({"0", "later", "n"}) = "later"
ASSUME Least({{"e2"}, {"e1"}}) = {"e2"}
ASSUME Least({"x1" : e \in {"x2"}} \cup {"x2"}) = "x2"
====
