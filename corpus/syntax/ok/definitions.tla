---- MODULE definitions ----
a == b
c + d == e
f(x) == g
h[x \in S] == i
j == k ' l == m
n ^+ == o
p == q -. r == s
t == {u} v == <<w>> x == y
A == B
  C == D
E ==
  F
====
