---- MODULE open ----
A == 1
