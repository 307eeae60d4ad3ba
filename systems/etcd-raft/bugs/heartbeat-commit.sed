# A heartbeat carries the leader's commit index, whether the follower has the entries or not.
# file: raft.go
s/commit := min\(r\.prs\.Progress\[to\]\.Match, r\.raftLog\.committed\)/commit := r.raftLog.committed/
