---- MODULE junctions ----
Empty == /\
Second == /\ a
          /\
CloseTooFarLeft ==
  /\ (a
  )
  /\ b
ThenTooFarLeft ==
  /\ IF a
 THEN b ELSE c
OperandTooFarLeft ==
  /\ a +
 b
Mixed == /\ a
           \/ b
            /\ c
DefinitionInItem == /\ a == 1
                    /\ b
====
