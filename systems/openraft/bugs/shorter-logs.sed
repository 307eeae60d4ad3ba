# A node votes for candidates whose logs are behind its own.
# file: src/engine/engine_impl.rs
s/^        if req\.last_log_id\.as_ref\(\) >= self\.state\.last_log_id\(\) \{$/        if true || req.last_log_id.as_ref() >= self.state.last_log_id() {/
