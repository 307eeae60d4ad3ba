# A follower keeps the entries of its log that contradict the leader's.
s/^(\t\t\tif) entry\.Term != storeEntry\.Term \{$/\1 false \&\& entry.Term != storeEntry.Term {/
