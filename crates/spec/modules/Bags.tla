--------------------------------- MODULE Bags ---------------------------------
(* Bags: functions that map each element to the number of its copies, at least one. *)
EXTENDS TLC
LOCAL INSTANCE Naturals

IsABag(B) == B \in [DOMAIN B -> {n \in Nat : n > 0}]

BagToSet(B) == DOMAIN B

SetToBag(S) == [e \in S |-> 1]

BagIn(e, B) == e \in BagToSet(B)

EmptyBag == SetToBag({})

CopiesIn(e, B) == IF BagIn(e, B) THEN B[e] ELSE 0

(* All copies of both bags. *)
A (+) B == [e \in DOMAIN A \cup DOMAIN B |-> CopiesIn(e, A) + CopiesIn(e, B)]

(* A without as many copies as B has. *)
A (-) B == [e \in {e \in DOMAIN A : A[e] > CopiesIn(e, B)} |-> A[e] - CopiesIn(e, B)]

(* The sum of a function with a finite domain. *)
LOCAL Total(f) ==
  LET RECURSIVE Sum(_, _)
      Sum(S, n) == IF S = {} THEN n ELSE LET x == CHOOSE x \in S : TRUE IN Sum(S \ {x}, n + f[x])
  IN Sum(DOMAIN f, 0)

(* All copies of all bags of the set S. *)
BagUnion(S) ==
  [e \in UNION {BagToSet(B) : B \in S} |-> Total([B \in S |-> CopiesIn(e, B)])]

A \sqsubseteq B == \A e \in DOMAIN A : A[e] <= CopiesIn(e, B)

(* All bags of which B has enough copies. *)
SubBag(B) ==
  LET RECURSIVE Add(_, _)
      Add(S, bags) ==
        IF S = {} THEN bags
        ELSE LET x == CHOOSE x \in S : TRUE
             IN Add(S \ {x}, bags \cup {bag @@ (x :> n) : bag \in bags, n \in 1..B[x]})
  IN Add(DOMAIN B, {EmptyBag})

(* The bag with a copy of F(e) for each copy of e in B. *)
BagOfAll(F(_), B) ==
  LET image == [e \in DOMAIN B |-> F(e)]
  IN [v \in {image[e] : e \in DOMAIN B} |-> Total([e \in {e \in DOMAIN B : image[e] = v} |-> B[e]])]

BagCardinality(B) == Total(B)
=============================================================================
