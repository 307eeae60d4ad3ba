------------------------- MODULE community_modules -------------------------
EXTENDS Integers, SequencesExt, FiniteSetsExt, Functions
VARIABLES log, sum
Init == log = <<>> /\ sum = 0
Next == \/ Len(log) < 3 /\ \E v \in 1..2 : log' = Append(log, v) /\ sum' = FoldLeft(+, 0, log')
        \/ log # <<>> /\ log' = Front(log) /\ sum' = sum - Last(log)
Inv == sum = FoldFunction(+, 0, log) /\ sum = MapThenSumSet(LAMBDA i : log[i], DOMAIN log) /\ Max({sum, 0}) <= 6
=============================================================================
