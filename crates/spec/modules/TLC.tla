--------------------------------- MODULE TLC ---------------------------------
(* What a specification may ask of the model checker. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
-----------------------------------------------------------------------------
(* Printing: equals `val` (or TRUE), and shows `out` to the user. *)
Print(out, val) == val
PrintT(out) == TRUE

(* TRUE, or an error that shows `out`. *)
Assert(val, out) == IF val = TRUE THEN TRUE ELSE CHOOSE v : FALSE

(* Seconds since 1970, below 2^31. *)
JavaTime == CHOOSE n : n \in Nat

(* The registers of a worker, and what it knows about its run. *)
TLCGet(i) == CHOOSE v : TRUE
TLCSet(i, v) == TRUE
-----------------------------------------------------------------------------
(* The function that maps d, and nothing else, to e. *)
d :> e == [x \in {d} |-> e]

(* Both functions in one; f wins where they overlap. *)
f @@ g == [x \in DOMAIN f \cup DOMAIN g |-> IF x \in DOMAIN f THEN f[x] ELSE g[x]]

(* All bijections from S to S. *)
Permutations(S) == {p \in [S -> S] : S = {p[x] : x \in S}}
-----------------------------------------------------------------------------
(* s with each element moved left past all those that it is less than: a stable insertion sort. *)
SortSeq(s, Op(_, _)) ==
  LET RECURSIVE Insert(_, _)
      Insert(sorted, e) ==
        IF Len(sorted) = 0 THEN <<e>>
        ELSE LET n == Len(sorted)
             IN IF Op(e, sorted[n]) THEN Append(Insert(SubSeq(sorted, 1, n - 1), e), sorted[n])
                ELSE Append(sorted, e)
      Upto[n \in 0..Len(s)] == IF n = 0 THEN <<>> ELSE Insert(Upto[n - 1], s[n])
  IN Upto[Len(s)]

(* An element of S; a different one each time. *)
RandomElement(S) == CHOOSE x \in S : TRUE

(* A set that contains everything. *)
Any == CHOOSE x : TRUE

(* v as the checker prints it. *)
ToString(v) == CHOOSE s \in STRING : v = v

(* v, evaluated now rather than when needed. *)
TLCEval(v) == v
=============================================================================
