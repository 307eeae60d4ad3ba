# A leader whose append was refused goes on where the follower's log ends, even if that was what was refused.
# file: tracker/progress.go
s/pr\.Next = min\(rejected, last\+1\)/pr.Next = last + 1/
