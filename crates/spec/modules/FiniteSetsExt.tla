---------------------------- MODULE FiniteSetsExt ----------------------------
(* More operators on finite sets. *)
EXTENDS Integers, FiniteSets, Folds, Functions

(* op(xn, ... op(x2, op(x1, base))), where x1, x2, ... are the elements in the order of CHOOSE. *)
FoldSet(op(_, _), base, set) ==
  LET RECURSIVE Fold(_, _)
      Fold(S, acc) == IF S = {} THEN acc ELSE LET x == CHOOSE x \in S : TRUE IN Fold(S \ {x}, op(x, acc))
  IN Fold(set, base)

SumSet(set) == FoldSet(+, 0, set)

ProductSet(set) == FoldSet(LAMBDA x, y : x * y, 1, set)

ReduceSet(op(_, _), set, acc) == FoldSet(op, acc, set)

(* The sum of op(x) over all x of the set: equal terms count each. *)
MapThenSumSet(op(_), set) == FoldSet(LAMBDA x, sum : op(x) + sum, 0, set)

FlattenSet(S) == UNION S

SymDiff(A, B) == (A \ B) \cup (B \ A)
-----------------------------------------------------------------------------
(* How many elements of S satisfy P. *)
Quantify(S, P(_)) == Cardinality({x \in S : P(x)})

(* The subsets of S that have k elements. *)
kSubset(k, S) ==
  LET RECURSIVE Grow(_)
      Grow(n) == IF n = 0 THEN {{}} ELSE UNION {{T \cup {x} : x \in S \ T} : T \in Grow(n - 1)}
  IN IF k < 0 \/ k > Cardinality(S) THEN {} ELSE Grow(k)
-----------------------------------------------------------------------------
Max(S) == CHOOSE x \in S : \A y \in S : x >= y

Min(S) == CHOOSE x \in S : \A y \in S : x <= y
-----------------------------------------------------------------------------
(* All sets that have an element of each of the Sets and no other. *)
Choices(Sets) == FoldSet(LAMBDA T, picks : {P \cup {x} : P \in picks, x \in T}, {{}}, Sets)

(* The element of S that satisfies P; there must be just one. *)
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
=============================================================================
