# A node takes over any vote, also one that is less than its own.
# file: src/engine/handler/vote_handler/mod.rs
s/^        if vote >= self\.state\.vote_ref\(\) \{$/        if true || vote >= self.state.vote_ref() {/
