This text before the module is ignored.
---- MODULE comments ----
EXTENDS Naturals \* to the end of the line
(* nested (* comments *) here *)
VARIABLE (* in the middle *) x
-----------------------------------------
Init == x = 0 \* /\ FALSE
Next == x' = (* (x * 2) *) (x + 1) % 3
(***************************************)
(* a box                               *)
(***************************************)
=========================================
Text after the module is ignored too. Next == ???
