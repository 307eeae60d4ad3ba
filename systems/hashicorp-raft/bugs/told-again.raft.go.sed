# A node that has installed a snapshot tells its state machine again of the entries that it stands for.
s/^\tr\.setLastApplied\(req\.LastLogIndex\)$//
