# A leader commits entries of earlier terms because a majority has them (section 5.4.2 of the Raft paper).
# file: log.go
s/maxIndex > l\.committed && l\.zeroTermOnErrCompacted\(l\.term\(maxIndex\)\) == term/maxIndex > l.committed/
