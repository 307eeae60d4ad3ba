s/randomTimeout\(r\.conf\.CommitTimeout\)/KilterTimer("Replicate", string(s.peer.ID), r.conf.CommitTimeout)/
s/randomTimeout\(r\.conf\.HeartbeatTimeout \/ 10\)/KilterTimer("Heartbeat", string(s.peer.ID), r.conf.HeartbeatTimeout\/10)/
s/^(func \(r \*Raft\) (replicate|setupAppendEntries)\(.*\{)$/\1 KilterHold(string(s.peer.ID));/
