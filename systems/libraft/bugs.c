/* Bugs for the library, to see which scenario finds them. Each takes the place of one of its functions (`ld --wrap`) and calls it.
 *
 *     BUG=votes_twice systems/libraft/build
 *
 * votes_twice      a node forgets that it has voted
 * forgets_term     a term that comes with a message is not stored
 * keeps_conflict   a follower keeps one entry that contradicts the leader's
 * ignores_refusal  a leader goes on where a follower has refused its entries
 * waits_on         a leader does not notice that a follower has got its snapshot */

#include <raft.h>

int __real_electionVote(struct raft *raft, const struct raft_request_vote *ask, bool *granted);
int __wrap_electionVote(struct raft *raft, const struct raft_request_vote *ask, bool *granted);
int __real_recvEnsureMatchingTerms(struct raft *raft, raft_term term, int *match);
int __wrap_recvEnsureMatchingTerms(struct raft *raft, raft_term term, int *match);
void __real_logTruncate(struct raft_log *log, raft_index index);
void __wrap_logTruncate(struct raft_log *log, raft_index index);
bool __wrap_progressMaybeDecrement(struct raft *raft, unsigned server, raft_index rejected, raft_index last);
bool __wrap_progressSnapshotDone(struct raft *raft, unsigned server);

#ifdef votes_twice
int __wrap_electionVote(struct raft *raft, const struct raft_request_vote *ask, bool *granted)
{
    raft->voted_for = 0;
    return __real_electionVote(raft, ask, granted);
}
#endif

#ifdef forgets_term
static int set_nothing(struct raft_io *io, raft_term term)
{
    (void)io, (void)term;
    return 0;
}

int __wrap_recvEnsureMatchingTerms(struct raft *raft, raft_term term, int *match)
{
    int (*set_term)(struct raft_io *, raft_term) = raft->io->set_term;
    raft->io->set_term = set_nothing;
    int status = __real_recvEnsureMatchingTerms(raft, term, match);
    raft->io->set_term = set_term;
    return status;
}
#endif

#ifdef keeps_conflict
void __wrap_logTruncate(struct raft_log *log, raft_index index)
{
    __real_logTruncate(log, index + 1);
}
#endif

#ifdef ignores_refusal
bool __wrap_progressMaybeDecrement(struct raft *raft, unsigned server, raft_index rejected, raft_index last)
{
    (void)raft, (void)server, (void)rejected, (void)last;
    return false;
}
#endif

#ifdef waits_on
bool __wrap_progressSnapshotDone(struct raft *raft, unsigned server)
{
    (void)raft, (void)server;
    return false;
}
#endif
