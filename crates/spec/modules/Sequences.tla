------------------------------ MODULE Sequences ------------------------------
(* Finite sequences: functions whose domain is 1..n. *)
LOCAL INSTANCE Naturals

(* All finite sequences of elements of S. *)
Seq(S) == UNION {[1..n -> S] : n \in Nat}

Len(s) ==
  LET RECURSIVE Count(_)
      Count(n) == IF n + 1 \in DOMAIN s THEN Count(n + 1) ELSE n
  IN CASE DOMAIN s = 1..Count(0) -> Count(0)

s \o t == [i \in 1..(Len(s) + Len(t)) |-> IF i <= Len(s) THEN s[i] ELSE t[i - Len(s)]]

Append(s, e) == s \o <<e>>

Head(s) == s[1]

Tail(s) == CASE Len(s) > 0 -> [i \in 1..(Len(s) - 1) |-> s[i + 1]]

(* The elements from position m to position n. *)
SubSeq(s, m, n) == [i \in 1..(n - m + 1) |-> s[m + i - 1]]

(* The elements that pass the test, in their order. *)
SelectSeq(s, Test(_)) ==
  LET Upto[n \in 0..Len(s)] ==
        CASE n = 0 -> <<>>
          [] n > 0 -> IF Test(s[n]) THEN Append(Upto[n - 1], s[n]) ELSE Upto[n - 1]
  IN Upto[Len(s)]
=============================================================================
