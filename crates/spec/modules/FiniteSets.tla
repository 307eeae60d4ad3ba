----------------------------- MODULE FiniteSets -----------------------------
(* Finiteness and size of sets. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

(* S is finite if some sequence lists it. *)
IsFiniteSet(S) == \E list \in Seq(S) : S = {list[i] : i \in 1..Len(list)}

Cardinality(S) ==
  LET size[T \in SUBSET S] == IF T = {} THEN 0 ELSE 1 + size[T \ {CHOOSE e \in T : TRUE}]
  IN size[S]
=============================================================================
