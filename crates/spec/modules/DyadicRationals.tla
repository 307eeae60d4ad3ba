--------------------------- MODULE DyadicRationals ---------------------------
(* Fractions whose denominator is a power of two, as records of a numerator and a denominator. *)
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC

LOCAL Fraction(n, d) == [num |-> n, den |-> d]

LOCAL Lowest(p) ==
  LET RECURSIVE Gcd(_, _)
      Gcd(a, b) == IF b = 0 THEN a ELSE Gcd(b, a % b)
      g == Gcd(p.num, p.den)
  IN IF g = 1 THEN p ELSE Fraction(p.num \div g, p.den \div g)

IsDyadicRational(r) == \E i \in 0..r.den : 2^i = r.den

Zero == Fraction(0, 1)

One == Fraction(1, 1)

Add(p, q) ==
  IF p = Zero THEN q
  ELSE LET den == Max({p.den, q.den})
       IN Lowest(Fraction(p.num * (den \div p.den) + q.num * (den \div q.den), den))

Half(p) == Lowest(Fraction(p.num, p.den * 2))

PrettyPrint(p) ==
  IF p = Zero THEN "0" ELSE IF p = One THEN "1" ELSE ToString(p.num) \o "/" \o ToString(p.den)
=============================================================================
