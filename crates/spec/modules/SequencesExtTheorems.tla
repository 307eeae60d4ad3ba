------------------------ MODULE SequencesExtTheorems ------------------------
(* Definitions that proofs about sequences refer to. Proofs are not checked: of the theorems
   there is only the name. *)
EXTENDS Sequences, SequencesExt, Functions, Integers, WellFoundedInduction

StrictPrefixesDetermineDef(S, Def(_, _)) ==
  \A g, h : \A s \in Seq(S) :
    (\A p \in Seq(S) : IsStrictPrefix(p, s) => g[p] = h[p]) => Def(g, s) = Def(h, s)

StrictSuffixesDetermineDef(S, Def(_, _)) ==
  \A g, h : \A s \in Seq(S) :
    (\A p \in Seq(S) : IsStrictSuffix(p, s) => g[p] = h[p]) => Def(g, s) = Def(h, s)

TailInductiveDefHypothesis(f, S, f0, Def(_, _)) ==
  f = CHOOSE g : g = [s \in Seq(S) |-> IF s = <<>> THEN f0 ELSE Def(g[Tail(s)], s)]

TailInductiveDefConclusion(f, S, f0, Def(_, _)) ==
  f = [s \in Seq(S) |-> IF s = <<>> THEN f0 ELSE Def(f[Tail(s)], s)]

FrontInductiveDefHypothesis(f, S, f0, Def(_, _)) ==
  f = CHOOSE g : g = [s \in Seq(S) |-> IF s = <<>> THEN f0 ELSE Def(g[Front(s)], s)]

FrontInductiveDefConclusion(f, S, f0, Def(_, _)) ==
  f = [s \in Seq(S) |-> IF s = <<>> THEN f0 ELSE Def(f[Front(s)], s)]
-----------------------------------------------------------------------------
THEOREM SeqOfSeq == TRUE
THEOREM ConsProperties == TRUE
THEOREM ConsEmpty == TRUE
THEOREM ConsHeadTail == TRUE
THEOREM ConsAppend == TRUE
THEOREM ConsConcat == TRUE
THEOREM ConsInjective == TRUE
THEOREM SequencesInductionCons == TRUE
THEOREM ContainsRange == TRUE
THEOREM ContainsEmpty == TRUE
THEOREM ContainsAppend == TRUE
THEOREM ContainsSingleton == TRUE
THEOREM ContainsConcat == TRUE
THEOREM ContainsCons == TRUE
THEOREM ContainsTail == TRUE
THEOREM ContainsTailExceptHead == TRUE
THEOREM SortedEmpty == TRUE
THEOREM SortedSingleton == TRUE
THEOREM SortedAppend == TRUE
THEOREM SortedConcat == TRUE
THEOREM SortedInjective == TRUE
THEOREM SortedSubSeq == TRUE
THEOREM InsertAtProperties == TRUE
THEOREM RemoveAtProperties == TRUE
THEOREM FrontProperties == TRUE
THEOREM FrontOfEmpty == TRUE
THEOREM LastProperties == TRUE
THEOREM FrontLastOfSubSeq == TRUE
THEOREM FrontLastAppend == TRUE
THEOREM FrontInjectiveSeq == TRUE
THEOREM SequencesInductionFront == TRUE
THEOREM ReverseProperties == TRUE
THEOREM ReverseEmpty == TRUE
THEOREM ReverseEqual == TRUE
THEOREM ReverseEmptyIffEmpty == TRUE
THEOREM ReverseConcat == TRUE
THEOREM ReverseAppend == TRUE
THEOREM ReverseCons == TRUE
THEOREM ReverseSingleton == TRUE
THEOREM ReverseSubSeq == TRUE
THEOREM ReversePalindrome == TRUE
THEOREM LastEqualsHeadReverse == TRUE
THEOREM ReverseFrontEqualsTailReverse == TRUE
THEOREM RangeReverse == TRUE
THEOREM IsPrefixProperties == TRUE
THEOREM IsStrictPrefixProperties == TRUE
THEOREM IsPrefixElts == TRUE
THEOREM EmptyIsPrefix == TRUE
THEOREM IsPrefixConcat == TRUE
THEOREM IsStrictPrefixAppend == TRUE
THEOREM FrontIsPrefix == TRUE
THEOREM IsPrefixPartialOrder == TRUE
THEOREM ConcatIsPrefix == TRUE
THEOREM ConcatIsPrefixCancel == TRUE
THEOREM ConsIsPrefixCancel == TRUE
THEOREM ConsIsPrefix == TRUE
THEOREM IsStrictPrefixStrictPartialOrder == TRUE
THEOREM IsStrictPrefixWellFounded == TRUE
THEOREM SeqStrictPrefixInduction == TRUE
THEOREM IsSuffixProperties == TRUE
THEOREM IsStrictSuffixProperties == TRUE
THEOREM IsSuffixElts == TRUE
THEOREM EmptyIsSuffix == TRUE
THEOREM IsSuffixConcat == TRUE
THEOREM IsStrictSuffixCons == TRUE
THEOREM TailIsSuffix == TRUE
THEOREM IsSuffixPartialOrder == TRUE
THEOREM ConcatIsSuffix == TRUE
THEOREM ConcatIsSuffixCancel == TRUE
THEOREM AppendIsSuffixCancel == TRUE
THEOREM AppendIsSuffix == TRUE
THEOREM IsStrictSuffixStrictPartialOrder == TRUE
THEOREM IsStrictSuffixWellFounded == TRUE
THEOREM SeqStrictSuffixInduction == TRUE
THEOREM StrictPrefixesDetermineDef_WFDefOn == TRUE
THEOREM PrefixRecursiveSequenceFunctionUnique == TRUE
THEOREM PrefixRecursiveSequenceFunctionDef == TRUE
THEOREM PrefixRecursiveSequenceFunctionType == TRUE
THEOREM StrictSuffixesDetermineDef_WFDefOn == TRUE
THEOREM SuffixRecursiveSequenceFunctionUnique == TRUE
THEOREM SuffixRecursiveSequenceFunctionDef == TRUE
THEOREM SuffixRecursiveSequenceFunctionType == TRUE
THEOREM TailInductiveDef == TRUE
THEOREM TailInductiveDefType == TRUE
THEOREM FrontInductiveDef == TRUE
THEOREM FrontInductiveDefType == TRUE
THEOREM FoldLeftRecursion == TRUE
THEOREM FoldLeftEmpty == TRUE
THEOREM FoldLeftNonempty == TRUE
THEOREM FoldLeftAppend == TRUE
THEOREM FoldLeftType == TRUE
THEOREM FoldLeftConcat == TRUE
THEOREM FoldRightRecursion == TRUE
THEOREM FoldRightEmpty == TRUE
THEOREM FoldRightNonempty == TRUE
THEOREM FoldRightCons == TRUE
THEOREM FoldRightType == TRUE
THEOREM FoldRightConcat == TRUE
THEOREM FoldLeftDomainIsMFS == TRUE
THEOREM FoldRightDomainIsMFS == TRUE
=============================================================================
