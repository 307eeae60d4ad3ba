# A follower appends entries without looking at what comes before them.
# file: src/core/append_entries.rs
s/^        if msg_prev_index_is_min \|\| msg_index_and_term_match \{$/        if true || msg_prev_index_is_min || msg_index_and_term_match {/
