---------------------------- MODULE Combinatorics ----------------------------
(* Counting. *)
EXTENDS Naturals

factorial[n \in Nat] == IF n = 0 THEN 1 ELSE n * factorial[n - 1]

(* The number of k-element subsets of an n-element set, a row of Pascal's triangle at a time: nothing grows larger than
   the result. *)
choose(n, k) ==
  LET RECURSIVE Count(_, _)
      Count(m, j) ==
        IF j = 0 THEN 1 ELSE LET below == Count(m - 1, j - 1) IN (below \div j) * m + ((below % j) * m) \div j
  IN IF k > n THEN 0 ELSE Count(n, IF k > n - k THEN n - k ELSE k)
=============================================================================
