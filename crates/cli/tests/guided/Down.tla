---- MODULE Down ----
(* A server that may be down for a while. What is under way to it then waits, is lost, or comes twice. *)
EXTENDS Naturals, TLC
CONSTANTS Data, Max, NotMax, Nil
VARIABLES cache, answer, messages, asked, up
vars == <<cache, answer, messages, asked, up>>

Request(d) == [kind |-> "request", data |-> d]
Copies(m) == IF m \in DOMAIN messages THEN messages[m] ELSE 0
With(m, n) == [x \in DOMAIN messages \cup {m} |-> IF x = m THEN n ELSE messages[x]]
Without(m) ==
  IF messages[m] = 1 THEN [x \in DOMAIN messages \ {m} |-> messages[x]] ELSE With(m, messages[m] - 1)

Init ==
  /\ cache = {}
  /\ answer = Nil
  /\ messages = [m \in {} |-> 0]
  /\ asked = 0
  /\ up = TRUE

Ask(d) ==
  /\ asked < 2
  /\ asked' = asked + 1
  /\ messages' = With(Request(d), Copies(Request(d)) + 1)
  /\ UNCHANGED <<cache, answer, up>>

Respond(m) ==
  /\ up
  /\ m.kind = "request"
  /\ cache' = cache \cup {m.data}
  /\ LET rank == IF \A x \in cache' : m.data >= x THEN Max ELSE NotMax
         reply == [kind |-> "response", rank |-> rank]
         rest == Without(m)
     IN messages' = [x \in DOMAIN rest \cup {reply} |->
          (IF x \in DOMAIN rest THEN rest[x] ELSE 0) + (IF x = reply THEN 1 ELSE 0)]
  /\ UNCHANGED <<answer, asked, up>>

Lose(m) ==
  /\ m.kind = "request"
  /\ messages' = Without(m)
  /\ UNCHANGED <<cache, answer, asked, up>>

Double(m) ==
  /\ m.kind = "request"
  /\ messages = m :> 1
  /\ ~up
  /\ messages' = With(m, 2)
  /\ UNCHANGED <<cache, answer, asked, up>>

Crash ==
  /\ up
  /\ asked = 1
  /\ up' = FALSE
  /\ UNCHANGED <<cache, answer, messages, asked>>

Start ==
  /\ ~up
  /\ up' = TRUE
  /\ UNCHANGED <<cache, answer, messages, asked>>

Next ==
  \/ \E d \in Data : Ask(d)
  \/ \E m \in DOMAIN messages : Respond(m) \/ Lose(m) \/ Double(m)
  \/ Crash
  \/ Start
====
