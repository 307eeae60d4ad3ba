---- MODULE comment ----
A == 1
(* never (* closed *)
B == 2
====
