------------------------------ MODULE Counter ------------------------------
EXTENDS Naturals, Sequences, TLC
CONSTANT Max
VARIABLES n, log
Init == n = 0 /\ log = [items |-> <<>>, size |-> 0]
Up(step) ==
    /\ n + step <= Max
    /\ n' = n + step
    /\ log' = [items |-> Append(log.items, step), size |-> log.size + 1]
Never == n > Max /\ UNCHANGED <<n, log>>
Next == (\E step \in 1..2 : Up(step)) \/ Never
Spec == Init /\ [][Next]_<<n, log>> /\ WF_<<n, log>>(Next)
Small == n < 4
Bounded == log.size <= 2
Reaches == <>(n = Max)
OnlyUp == [][n' = n + 1]_n
Safe == Assert(n < 3, <<"n is", n>>)
Crash == Head(log.items) > 0
Short == [n |-> n, last |-> IF log.items = <<>> THEN 0 ELSE log.items[Len(log.items)]]
=============================================================================
