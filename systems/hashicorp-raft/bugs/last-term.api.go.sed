# A node that comes up again takes its last entry for one of term 0.
s/^(\tr\.setLastLog\(lastLog\.Index,) lastLog\.Term\)$/\1 0)/
