---- MODULE Cache ----
(* A client asks a server for the rank of a number; the server remembers all numbers that it was asked for. *)
EXTENDS Naturals
CONSTANTS Data, Max, NotMax, Nil, AskLimit
VARIABLES cache, answer, messages, asked
vars == <<cache, answer, messages, asked>>

Init ==
  /\ cache = {}
  /\ answer = Nil
  /\ messages = {}
  /\ asked = 0

Ask(d) ==
  /\ asked < AskLimit
  /\ messages = {}
  /\ asked' = asked + 1
  /\ messages' = {[kind |-> "request", data |-> d]}
  /\ UNCHANGED <<cache, answer>>

Respond(m) ==
  /\ m.kind = "request"
  /\ cache' = cache \cup {m.data}
  /\ messages' = (messages \ {m})
       \cup {[kind |-> "response", rank |-> IF \A x \in cache' : m.data >= x THEN Max ELSE NotMax]}
  /\ UNCHANGED <<answer, asked>>

Take(m) ==
  /\ m.kind = "response"
  /\ answer' = m.rank
  /\ messages' = messages \ {m}
  /\ UNCHANGED <<cache, asked>>

Lose(m) ==
  /\ messages' = messages \ {m}
  /\ UNCHANGED <<cache, answer, asked>>

Forget ==
  /\ answer # Nil
  /\ answer' = Nil
  /\ UNCHANGED <<cache, messages, asked>>

Restart(n) ==
  /\ n = "server"
  /\ messages = {}
  /\ asked > 0
  /\ UNCHANGED vars

Next ==
  \/ \E d \in Data : Ask(d)
  \/ \E m \in messages : Respond(m) \/ Take(m) \/ Lose(m)
  \/ Forget
  \/ \E n \in {"client", "server"} : Restart(n)

(* For a configuration that looks at a part of the states only. *)
NeverLess == answer # NotMax

CacheIsData == cache \subseteq Data
====
