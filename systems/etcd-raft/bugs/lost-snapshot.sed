# A leader goes on as if a snapshot had arrived that was reported to be lost.
# file: raft.go
s/^(\t*)pr\.PendingSnapshot = 0$/\1\/\/ nothing/
