----------------------------- MODULE water_jugs -----------------------------
EXTENDS Naturals
VARIABLES small, big
Min(a, b) == IF a < b THEN a ELSE b
Init == small = 0 /\ big = 0
Next == \/ small' = 3 /\ big' = big
        \/ big' = 5 /\ small' = small
        \/ small' = 0 /\ big' = big
        \/ big' = 0 /\ small' = small
        \/ LET n == Min(small, 5 - big) IN small' = small - n /\ big' = big + n
        \/ LET n == Min(big, 3 - small) IN small' = small + n /\ big' = big - n
NotFour == big # 4
=============================================================================
