---- MODULE junctions ----
OneItem == /\ a
TwoItems == /\ a
            /\ b
OnOneLine == /\ a /\ b
BelowName ==
/\ a
/\ b
Or == \/ a
      \/ b
Nested == /\ \/ a
             \/ b
          /\ c
DeepNested == /\ \/ /\ a
                    /\ b
                 \/ c
              /\ d
SameLineNested == /\ /\ a
                     /\ b
InfixInside == /\ a = b
               /\ c =>
                    d
InfixAfter ==
   /\ a
   /\ b
  => c
InfixAtBullet ==
  /\ a
  /\ b
  \/ c
OtherKindBetween ==
  /\ a
  \/ b
OnTheRight == a => /\ b
                   /\ c
RightThenLess ==
  a = /\ b
      /\ c
     \/ d
Twice ==
     /\ a
     /\ b
  /\ c
InParens == (/\ a
             /\ b) => c
ParenInItem == /\ (a
                     \/ b)
               /\ c
InQuantifier == \A x \in S : /\ a
                             /\ b
QuantifierInItem == /\ \A x \in S : a
                    /\ b
IfInItem == /\ IF a
                 THEN b
                 ELSE c
            /\ d
ListInIf == IF /\ a
               /\ b
            THEN \/ c
                 \/ d
            ELSE e
LetInItem == /\ LET x == /\ a
                         /\ b
                    y == c
                IN x /\ y
             /\ d
CaseInItem == /\ CASE a -> b
                   [] c -> d
              /\ e
InCase == CASE a -> /\ b
                    /\ c
            [] d -> e
InnerCaseEnds == CASE a -> /\ CASE b -> c
                   [] d -> e
InSet == {/\ a
          /\ b, c}
InArgument == F(/\ a
                /\ b, c)
InTuple == << /\ a
              /\ b >>
WordsAreInfix == (a \land b) \lor c
Prefixed == ~ /\ a
              /\ b
DeeperBullet == /\ a
                  /\ b
                  /\ c
Primed == /\ a' = b
          /\ UNCHANGED <<c, d>>
LabelInItem == /\ lab :: a
               /\ b
NextUnitEnds == /\ a
b == c
====
