---- MODULE tabs ----
A ==
	/\ a
        /\ b
B == /\ a
  	/\ b
	/\ c
====
