------------------------------- MODULE BagsExt -------------------------------
(* More operators on bags. *)
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds
LOCAL INSTANCE FiniteSetsExt

(* B with one more copy of x. *)
BagAdd(B, x) == [e \in DOMAIN B \cup {x} |-> IF e = x THEN CopiesIn(e, B) + 1 ELSE B[e]]

(* B with one copy less of x, if it has any. *)
BagRemove(B, x) ==
  IF x \notin DOMAIN B THEN B
  ELSE IF B[x] = 1 THEN [e \in DOMAIN B \ {x} |-> B[e]]
  ELSE [B EXCEPT ![x] = @ - 1]

(* B without x. *)
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]

(* Each element x stands for op(... op(op(base, f(x)), f(x)) ..., f(x)), once for each copy; these are folded by op from
   base. The elements come in the order of CHOOSE; the parameter that should say otherwise has never had an effect. *)
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
  LET RECURSIVE Repeat(_, _)
      Repeat(x, n) == op(IF n = 1 THEN base ELSE Repeat(x, n - 1), f(x))
  IN MapThenFoldSet(op, base, LAMBDA x : Repeat(x, B[x]), LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)

(* op(... op(op(base, x1), x2) ..., xn) for all copies of all elements. *)
FoldBag(op(_, _), base, B) ==
  LET RECURSIVE Repeat(_, _, _)
      Repeat(acc, x, n) == IF n = 0 THEN acc ELSE Repeat(op(acc, x), x, n - 1)
  IN FoldSet(LAMBDA x, acc : Repeat(acc, x, B[x]), base, DOMAIN B)

SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)

ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
=============================================================================
