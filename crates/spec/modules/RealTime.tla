------------------------------ MODULE RealTime ------------------------------
(* Real-time bounds, chapter 9 of Specifying Systems. For reading, not for checking. *)
EXTENDS Reals
VARIABLE now

(* An A step that changes v occurs at least D and at most E time units after it became possible. *)
RTBound(A, v, D, E) ==
  LET Restarted == <<A>>_v \/ ~(ENABLED <<A>>_v)'
      Elapse(t) == t' = IF Restarted THEN 0 ELSE t + (now' - now)
      Clock(t) == t = 0 /\ [][Elapse(t)]_<<t, v, now>>
      NotLate(t) == [](t <= E)
      NotEarly(t) == [][A => t >= D]_v
  IN \EE t : Clock(t) /\ NotLate(t) /\ NotEarly(t)
-----------------------------------------------------------------------------
(* Time only goes forward, without bound, and not while v changes. *)
RTnow(v) ==
  LET Tick == now' \in {r \in Real : r > now} /\ UNCHANGED v
  IN /\ now \in Real
     /\ [][Tick]_now
     /\ \A r \in Real : WF_now(Tick /\ now' > r)
=============================================================================
