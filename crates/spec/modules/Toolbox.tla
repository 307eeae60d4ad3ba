------------------------------- MODULE Toolbox -------------------------------
(* Names that trace exploration defines. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

_TETrace == CHOOSE f \in [Nat \ {0} -> STRING] : TRUE

(* The position of the current state in the trace that is explored. *)
_TEPosition ==
  LET last == Cardinality(DOMAIN _TETrace)
      level == TLCGet("level")
  IN CASE level >= last -> last
       [] level < last -> IF level = 0 THEN 1 ELSE level
=============================================================================
