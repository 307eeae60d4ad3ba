# A follower commits up to its last entry, not only up to what the append has confirmed.
# file: log.go
s/l\.commitTo\(min\(committed, lastnewi\)\)/l.commitTo(min(committed, l.lastIndex()))/
