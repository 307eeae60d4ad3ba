# A node votes for a candidate whose log is shorter than its own, if both end in the same term.
# file: log.go
s/term > l\.lastTerm\(\) \|\| \(term == l\.lastTerm\(\) && lasti >= l\.lastIndex\(\)\)/term >= l.lastTerm()/
