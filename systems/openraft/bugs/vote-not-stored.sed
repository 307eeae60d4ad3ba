# A vote is not stored before it is given, so a crash takes it back.
# file: src/core/raft_core.rs
s/^( *)self\.log_store\.save_vote\(&vote\)\.await\?;$/\1if vote.is_committed() { self.log_store.save_vote(\&vote).await?; }/
