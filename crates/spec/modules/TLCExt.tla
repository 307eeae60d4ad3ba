------------------------------- MODULE TLCExt -------------------------------
(* More of what a specification may ask of the model checker. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
-----------------------------------------------------------------------------
(* a = b; shows both if they differ. *)
AssertEq(a, b) ==
  IF a = b THEN TRUE
  ELSE /\ PrintT("Assertion failed")
       /\ PrintT(a)
       /\ PrintT(b)
       /\ FALSE

(* TRUE if evaluating exp fails with the message err. *)
AssertError(err, exp) == CHOOSE b \in BOOLEAN : TRUE
-----------------------------------------------------------------------------
(* Register `key` of this worker, or a default if it was never set. *)
TLCGetOrDefault(key, defaultVal) == CHOOSE v : TRUE

(* The old value of register `key`, which is set to Op(old, val). *)
TLCGetAndSet(key, Op(_, _), val, defaultVal) ==
  LET old == TLCGetOrDefault(key, defaultVal)
  IN CHOOSE v \in {old} : TLCSet(key, Op(old, val))
-----------------------------------------------------------------------------
(* The states from an initial state to the current one, as a sequence of records. *)
Trace == TRUE

(* The counterexample that was found, if any: [action |-> ..., state |-> ...]. *)
CounterExample == TRUE

(* The states of a counterexample as a sequence of records. *)
ToTrace(CE) == TRUE
-----------------------------------------------------------------------------
(* The model value of that name. *)
TLCModelValue(str) == CHOOSE v : ToString(v) = str

(* TRUE; evaluates its argument once a behavior has been extended. *)
TLCDefer(expression) == TRUE

(* A place for a breakpoint. *)
TLCNoOp(val) == val

(* As an action constraint: asks the user which successor to take unless exp holds. *)
PickSuccessor(exp) == IF exp THEN TRUE ELSE CHOOSE b \in BOOLEAN : TRUE
-----------------------------------------------------------------------------
(* The expression, remembered for each value of the closure. *)
TLCCache(expression, closure) == expression

(* The checker's fingerprint of a value, as an integer. *)
TLCFP(var) == CHOOSE i \in Int : TRUE

(* The value of the definition of that name. *)
TLCEvalDefinition(definitionName) == TRUE
=============================================================================
