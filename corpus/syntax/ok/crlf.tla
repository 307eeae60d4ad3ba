---- MODULE crlf ----
EXTENDS Naturals
A ==
  /\ a \* comment
  /\ b
B == 1
====
