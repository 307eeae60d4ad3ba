Text before a module is no TLA+: it's "ignored (* entirely.

---- MODULE comments ----
\* a line comment with (* an opening
A == (* block *) 1 \* rest of the line == 3
B == 1 (* outer (* inner *) still a comment *) + 2
(***************************************)
(* boxed                               *)
(***************************************)
(* --algorithm a { { skip } } *)
C == (**) 3
D == /\ a (* a
      comment *)
     /\ b
====
Text after it too: ) ] } "unclosed
