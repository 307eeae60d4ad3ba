# A leader that hears of a newer term goes on leading.
s/^\tasyncNotifyCh\(s\.stepDown\)$//
