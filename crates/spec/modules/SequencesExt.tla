---------------------------- MODULE SequencesExt ----------------------------
(* More operators on sequences. *)
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC
-----------------------------------------------------------------------------
ToSet(s) == {s[i] : i \in DOMAIN s}

ToBag(s) == BagOfAll(LAMBDA i : s[i], SetToBag(DOMAIN s))

(* The elements of S in the order of CHOOSE. *)
SetToSeq(S) == FoldSet(LAMBDA x, seq : Append(seq, x), <<>>, S)

(* All sequences that list S without repetition. *)
SetToSeqs(S) ==
  LET list == SetToSeq(S)
  IN {[i \in 1..Len(list) |-> list[p[i]]] : p \in Permutations(1..Len(list))}

SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)

(* All sequences without repetition of elements of S, of any length. *)
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}

TupleOf(set, n) == [1..n -> set]

(* The sequences of elements of the set that are not longer than n. *)
SeqOf(set, n) == UNION {[1..m -> set] : m \in 0..n}

BoundedSeq(S, n) == SeqOf(S, n)
-----------------------------------------------------------------------------
Contains(s, e) == \E i \in 1..Len(s) : s[i] = e

(* Every two elements are in order. *)
IsSorted(s, op(_, _)) == \A i \in 1..Len(s) : \A j \in (i + 1)..Len(s) : op(s[i], s[j])

Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]

Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)

ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]
-----------------------------------------------------------------------------
(* The first position from `from` to `to` whose element passes the test; 0 if there is none. *)
SelectInSubSeq(seq, from, to, Test(_)) ==
  LET part == SubSeq(seq, from, to)
      found == {i \in 1..Len(part) : Test(part[i])}
  IN IF found = {} THEN 0 ELSE from - 1 + Min(found)

SelectInSeq(seq, Test(_)) == SelectInSubSeq(seq, 1, Len(seq), Test)

(* The last such position. *)
SelectLastInSubSeq(seq, from, to, Test(_)) ==
  LET part == SubSeq(seq, from, to)
      found == {i \in 1..Len(part) : Test(part[i])}
  IN IF found = {} THEN 0 ELSE from - 1 + Max(found)

SelectLastInSeq(seq, Test(_)) == SelectLastInSubSeq(seq, 1, Len(seq), Test)
-----------------------------------------------------------------------------
(* s with e at position i and what was there, and after, moved up. *)
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))

ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]

RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))

(* s without the first element that passes the test. *)
RemoveFirstMatch(s, Test(_)) ==
  LET i == SelectInSeq(s, Test)
  IN IF i = 0 THEN s ELSE RemoveAt(s, i)

RemoveFirst(s, e) == RemoveFirstMatch(s, LAMBDA x : x = e)
-----------------------------------------------------------------------------
Cons(elt, seq) == <<elt>> \o seq

Snoc(elt, seq) == Append(seq, elt)

(* All but the last element. *)
Front(s) == SubSeq(s, 1, Len(s) - 1)

Last(s) == s[Len(s)]
-----------------------------------------------------------------------------
IsPrefix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, 1, Len(s))

IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t

IsSuffix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, Len(t) - Len(s) + 1, Len(t))

IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
-----------------------------------------------------------------------------
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}

(* The sequences that are a prefix of each element of S. *)
CommonPrefixes(S) ==
  IF S = {} THEN {}
  ELSE LET s == CHOOSE s \in S : TRUE
       IN {p \in Prefixes(s) : \A t \in S : IsPrefix(p, t)}

LongestCommonPrefix(S) ==
  LET s == CHOOSE s \in S : TRUE
      lengths == {n \in 0..Len(s) : \A t \in S : IsPrefix(SubSeq(s, 1, n), t)}
  IN SubSeq(s, 1, Max(lengths))

Suffixes(s) == {SubSeq(s, i, Len(s)) : i \in 1..(Len(s) + 1)}
-----------------------------------------------------------------------------
(* a modulo b, from 1 to b instead of from 0: positions of a ring. *)
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b

(* op(s[n], ... op(s[2], op(s[1], base))) *)
FoldSeq(op(_, _), base, seq) == FoldFunction(op, base, seq)

(* op(... op(op(base, s[1]), s[2]) ..., s[n]) *)
FoldLeft(op(_, _), base, seq) ==
  LET Upto[n \in 0..Len(seq)] == IF n = 0 THEN base ELSE op(Upto[n - 1], seq[n])
  IN Upto[Len(seq)]

(* op(s[1], op(s[2], ... op(s[n], base))) *)
FoldRight(op(_, _), seq, base) ==
  LET From[n \in 1..(Len(seq) + 1)] == IF n > Len(seq) THEN base ELSE op(seq[n], From[n + 1])
  IN From[1]

(* The same with positions instead of elements. *)
FoldLeftDomain(op(_, _), base, seq) == FoldLeft(op, base, [i \in 1..Len(seq) |-> i])

FoldRightDomain(op(_, _), seq, base) == FoldRight(op, [i \in 1..Len(seq) |-> i], base)
-----------------------------------------------------------------------------
(* The sequences, or strings, of a sequence one after the other. *)
FlattenSeq(seqs) ==
  IF Len(seqs) = 0 THEN seqs ELSE FoldLeft(LAMBDA s, t : s \o t, Head(seqs), Tail(seqs))

(* The pairs of elements at equal positions, as many as the shorter sequence has. *)
Zip(s, t) == [i \in 1..Min({Len(s), Len(t)}) |-> <<s[i], t[i]>>]

(* One-element sequences of s and t in turn; s and t have the same length. *)
Interleave(s, t) ==
  CASE Len(s) = Len(t) /\ Len(s) > 0 ->
         [i \in 1..(2 * Len(s)) |-> IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]
    [] Len(s) = Len(t) /\ Len(s) = 0 -> <<<<>>, <<>>>>

(* The contiguous subsequences of s. *)
SubSeqs(s) == {SubSeq(s, i, j) : i \in 1..(Len(s) + 1), j \in 0..Len(s)}

(* What is left of s if some elements are removed. *)
AllSubSeqs(s) == {FoldSet(LAMBDA i, seq : Append(seq, s[i]), <<>>, D) : D \in SUBSET (1..Len(s))}

(* Where s first occurs in t. *)
IndexFirstSubSeq(s, t) ==
  CHOOSE i \in 1..(Len(t) - Len(s) + 1) :
    /\ SubSeq(t, i, i + Len(s) - 1) = s
    /\ \A j \in 1..(i - 1) : SubSeq(t, j, j + Len(s) - 1) # s

(* t with r instead of what is at position i and as long as s. *)
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))

ReplaceFirstSubSeq(r, s, t) ==
  IF \E i \in 1..(Len(t) - Len(s) + 1) : SubSeq(t, i, i + Len(s) - 1) = s
  THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t)
  ELSE t

(* t with r instead of each s, from the left and without overlap; r before each element if s is empty. *)
ReplaceAllSubSeqs(r, s, t) ==
  LET n == Len(s)
      RECURSIVE From(_)
      From(i) ==
        CASE i > Len(t) -> SubSeq(t, 1, 0)
          [] i <= Len(t) ->
               IF n = 0 THEN r \o SubSeq(t, i, i) \o From(i + 1)
               ELSE IF i + n - 1 <= Len(t) /\ SubSeq(t, i, i + n - 1) = s THEN r \o From(i + n)
               ELSE SubSeq(t, i, i) \o From(i + 1)
  IN IF s = t THEN r ELSE From(1)
=============================================================================
