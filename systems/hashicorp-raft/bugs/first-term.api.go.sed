# A node that comes up again begins in its first term.
s/^(\tr\.setCurrentTerm)\(currentTerm\)$/\1(min(currentTerm, 1))/
