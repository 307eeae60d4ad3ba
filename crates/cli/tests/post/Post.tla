---- MODULE Post ----
(* One node sends a letter, another takes it in. The receiver may restart before, and gets the letter nevertheless. *)
EXTENDS Naturals
VARIABLES sent, got, messages, restarts
vars == <<sent, got, messages, restarts>>

Init == sent = 0 /\ got = 0 /\ messages = {} /\ restarts = 0

Send ==
  /\ sent = 0
  /\ sent' = 1
  /\ messages' = messages \cup {[to |-> "b", number |-> 1]}
  /\ UNCHANGED <<got, restarts>>

Take(m) ==
  /\ got' = m.number
  /\ messages' = messages \ {m}
  /\ UNCHANGED <<sent, restarts>>

Restart ==
  /\ messages # {} /\ restarts = 0
  /\ restarts' = 1
  /\ UNCHANGED <<sent, got, messages>>

Next == Send \/ (\E m \in messages : Take(m)) \/ Restart
====
---- CONFIG Post ----
INIT Init
NEXT Next
====
