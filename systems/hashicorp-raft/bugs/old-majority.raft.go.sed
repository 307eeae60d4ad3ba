# A leader goes on counting the members that it had before a change.
s/^\tr\.leaderState\.commitment\.setConfiguration\(configuration\)$//
