# The vote is not stored, so a node that has restarted may vote again in the same term.
# file: raft.go
s/^(\t\tVote: +)r\.Vote,/\1None,/
