# A leader lets entries go that are under way to others.
# file: src/engine/handler/replication_handler/mod.rs
s/^            if prog_entry\.is_log_range_inflight\(&purge_upto\) \{$/            if false \&\& prog_entry.is_log_range_inflight(\&purge_upto) {/
