------------------------ MODULE WellFoundedInduction ------------------------
(* Definitions that proofs by well-founded induction refer to. Proofs are not checked: of the theorems
   there is only the name. *)
EXTENDS NaturalsInduction

IsTransitivelyClosedOn(R, S) ==
  \A x, y, z \in S : <<x, y>> \in R /\ <<y, z>> \in R => <<x, z>> \in R

(* No sequence descends for ever. *)
IsWellFoundedOn(R, S) == ~\E f \in [Nat -> S] : \A n \in Nat : <<f[n + 1], f[n]>> \in R

SetLessThan(x, R, S) == {y \in S : <<y, x>> \in R}

WFDefOn(R, S, Def(_, _)) ==
  \A g, h : \A x \in S : (\A y \in SetLessThan(x, R, S) : g[y] = h[y]) => Def(g, x) = Def(h, x)

OpDefinesFcn(f, S, Def(_, _)) == f = CHOOSE g : g = [x \in S |-> Def(g, x)]

WFInductiveDefines(f, S, Def(_, _)) == f = [x \in S |-> Def(f, x)]

WFInductiveUnique(S, Def(_, _)) ==
  \A g, h : WFInductiveDefines(g, S, Def) /\ WFInductiveDefines(h, S, Def) => g = h

TransitiveClosureOn(R, S) ==
  {p \in S \X S :
     \A U \in SUBSET (S \X S) : (R \cap S \X S) \subseteq U /\ IsTransitivelyClosedOn(U, S) => p \in U}

OpToRel(_ \prec _, S) == {p \in S \X S : p[1] \prec p[2]}

PreImage(f(_), S, R) == {p \in S \X S : <<f(p[1]), f(p[2])>> \in R}

LexPairOrdering(R1, R2, S1, S2) ==
  {p \in (S1 \X S2) \X (S1 \X S2) :
     \/ <<p[1][1], p[2][1]>> \in R1
     \/ p[1][1] = p[2][1] /\ <<p[1][2], p[2][2]>> \in R2}

LexProductOrdering(R, S, n) ==
  {p \in [1..n -> S] \X [1..n -> S] :
     \E j \in 1..n : (\A i \in 1..(j - 1) : p[1][i] = p[2][i]) /\ <<p[1][j], p[2][j]>> \in R}
-----------------------------------------------------------------------------
THEOREM EmptyIsWellFounded == TRUE
THEOREM IsWellFoundedOnSubset == TRUE
THEOREM IsWellFoundedOnSubrelation == TRUE
THEOREM WFMin == TRUE
THEOREM MinWF == TRUE
THEOREM WellFoundedIsIrreflexive == TRUE
THEOREM WellFoundedIsAsymmetric == TRUE
THEOREM WFSetLessThanIrreflexive == TRUE
THEOREM SetLessTransitive == TRUE
THEOREM WFInduction == TRUE
THEOREM WFDefOnUnique == TRUE
THEOREM WFInductiveDefLemma == TRUE
THEOREM TransitiveClosureThm == TRUE
THEOREM TransitiveClosureMinimal == TRUE
THEOREM TCTCTC == TRUE
THEOREM TCRTC == TRUE
THEOREM RTCTC == TRUE
THEOREM TransitiveClosureChopLast == TRUE
THEOREM TransitiveClosureWF == TRUE
THEOREM WFInductiveDef == TRUE
THEOREM WFInductiveDefType == TRUE
THEOREM NatLessThanWellFounded == TRUE
THEOREM PreImageWellFounded == TRUE
THEOREM WFLexPairOrdering == TRUE
THEOREM WFLexProductOrdering == TRUE
=============================================================================
