# A node that has restarted does not read its vote again, so it may vote twice in a term.
# file: raft.go
s/^\tr\.Vote = state\.Vote$//
