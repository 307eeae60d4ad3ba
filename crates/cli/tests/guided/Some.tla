---- MODULE Some ----
(* Each variable is a function of some nodes: the client has no cache, and the server no answer. *)
EXTENDS Naturals
CONSTANTS Max, NotMax, Nil
VARIABLES cache, answer, messages

Init ==
  /\ cache = [n \in {"server"} |-> {}]
  /\ answer = [n \in {"client"} |-> Nil]
  /\ messages = {}

Ask(d) ==
  /\ messages = {}
  /\ cache["server"] = {}
  /\ messages' = {[kind |-> "request", data |-> d]}
  /\ UNCHANGED <<cache, answer>>

Respond(m) ==
  /\ m.kind = "request"
  /\ cache' = [cache EXCEPT !["server"] = @ \cup {m.data}]
  /\ messages' = {[kind |-> "response", rank |-> Max]}
  /\ UNCHANGED answer

Take(m) ==
  /\ m.kind = "response"
  /\ answer' = [answer EXCEPT !["client"] = m.rank]
  /\ messages' = {}
  /\ UNCHANGED cache

Forget ==
  /\ answer["client"] # Nil
  /\ answer' = [answer EXCEPT !["client"] = Nil]
  /\ UNCHANGED <<cache, messages>>

Next ==
  \/ \E d \in {1, 2} : Ask(d)
  \/ \E m \in messages : Respond(m) \/ Take(m)
  \/ Forget
====
