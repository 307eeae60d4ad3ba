---- MODULE two-words ----
EXTENDS Naturals
A == 1
====
