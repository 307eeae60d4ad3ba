---- MODULE except_at_in_let ----
EXTENDS Naturals
ASSUME [[a |-> 1] EXCEPT !.a = LET n(p) == @ + p IN n(2)] = [a |-> 3]
ASSUME [[a |-> 1] EXCEPT !.a = LET n == @ IN n] = [a |-> 1]
ASSUME [[a |-> 1] EXCEPT !.a = LET n[i \in {1}] == @ + i IN n[1]] = [a |-> 2]
\* The inner @ is that of the inner EXCEPT.
ASSUME [[a |-> 1, b |-> 5] EXCEPT !.a = LET n == @ IN [[c |-> 7] EXCEPT !.c = @ + n].c + @] = [a |-> 9, b |-> 5]
ASSUME [[a |-> 1] EXCEPT !.a = LET f(p) == LET g(q) == @ * q IN g(p) IN f(4), !.a = LET n == @ IN n + 1] = [a |-> 5]
VARIABLE x
Init == x = [a |-> 1]
Next == x' = [x EXCEPT !.a = LET n == (@ + 1) % 3 IN n]
====
