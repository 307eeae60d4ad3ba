# A node that has taken in a snapshot goes on with the last index of the log that it had before.
# file: src/core/install_snapshot.rs
s/^        self\.last_log_index = req\.last_included_index;$//
