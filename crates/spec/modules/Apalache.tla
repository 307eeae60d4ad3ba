------------------------------ MODULE Apalache ------------------------------
(* Names that specifications for the Apalache model checker use, with their meaning for an explicit-state one. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE SequencesExt

(* An assignment, marked as such. *)
x := e == x = e

(* Some value with at most n elements. *)
Gen(n) == CHOOSE v : TRUE

(* Some element, chosen anew each time. *)
Guess(S) == CHOOSE x \in S : TRUE

(* Hints for the symbolic checker. *)
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e

(* The sequence F(1), ..., F(n). *)
MkSeq(n, F(_)) == [i \in 1..n |-> F(i)]

(* The function that a set of pairs represents. *)
SetAsFun(S) ==
  LET keys == {p[1] : p \in S}
  IN [k \in keys |-> (CHOOSE p \in S : p[1] = k)[2]]

(* The first len values of fn as a sequence. *)
FunAsSeq(fn, len, maxLen) == [i \in 1..len |-> fn[i]]

(* F(...F(F(x, 1), 2)..., n) *)
Repeat(F(_, _), n, x) == FoldLeft(F, x, [i \in 1..n |-> i])

ApaFoldSet(Op(_, _), v, S) == FoldSet(LAMBDA x, acc : Op(acc, x), v, S)

ApaFoldSeqLeft(Op(_, _), v, seq) == FoldLeft(Op, v, seq)
=============================================================================
