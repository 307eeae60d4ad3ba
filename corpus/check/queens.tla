------------------------------- MODULE queens -------------------------------
EXTENDS Integers, Sequences
N == 5
VARIABLE q
Attacks(i, j) == q[i] = q[j] \/ q[i] - q[j] = i - j \/ q[i] - q[j] = j - i
Init == q = <<>>
Next == Len(q) < N /\ \E c \in 1..N : q' = Append(q, c) /\ \A i \in 1..Len(q) :
          q[i] # c /\ q[i] - c # i - (Len(q) + 1) /\ c - q[i] # i - (Len(q) + 1)
NoSolution == Len(q) < N
=============================================================================
