# A leader takes another change of the members before it has applied the last one.
# file: raft.go
s/alreadyPending := r\.pendingConfIndex > r\.raftLog\.applied/alreadyPending := false/
