------------------------------- MODULE Bitwise -------------------------------
(* Bits of natural numbers. *)
LOCAL INSTANCE Integers

(* The number whose bits are Op applied to the bits of x and y. *)
LOCAL Combine(Op(_, _), x, y) ==
  LET RECURSIVE Bits(_, _, _)
      Bits(a, b, weight) ==
        IF a = 0 /\ b = 0 THEN 0
        ELSE LET high == IF a < 2 /\ b < 2 THEN 0 ELSE Bits(a \div 2, b \div 2, 2 * weight)
             IN Op(a % 2, b % 2) * weight + high
  IN Bits(x, y, 1)

x & y == Combine(LAMBDA a, b : a * b, x, y)

x | y == Combine(LAMBDA a, b : IF a + b > 0 THEN 1 ELSE 0, x, y)

x ^^ y == Combine(LAMBDA a, b : (a + b) % 2, x, y)

(* All bits of a up to its highest one inverted. *)
Not(a) == Combine(LAMBDA b, same : 1 - b, a, a)

(* n without its lowest pos bits. *)
RECURSIVE shiftR(_, _)
shiftR(n, pos) == IF pos = 0 THEN n ELSE shiftR(n \div 2, pos - 1)
=============================================================================
