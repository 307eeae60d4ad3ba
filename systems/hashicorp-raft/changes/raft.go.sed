s/(heartbeatTimer :?=) randomTimeout\(r\.conf\.HeartbeatTimeout\)/\1 KilterTimer("Timeout", "", r.conf.HeartbeatTimeout)/
s/(electionTimer :=) randomTimeout\(r\.conf\.ElectionTimeout\)/\1 KilterTimer("Timeout", "", r.conf.ElectionTimeout)/
s/(lease :=) time\.After\(r\.conf\.LeaderLeaseTimeout\)/\1 KilterTimer("Lease", "", r.conf.LeaderLeaseTimeout)/
