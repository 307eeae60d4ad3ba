---- MODULE outer ----
---- MODULE inner ----
A == (
====
B == )
