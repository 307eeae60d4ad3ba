# While members change, a leader asks only for a majority of the old ones.
# file: src/core/replication.rs
s/^            commit_index_c1 = calculate_new_commit_index\(.*$/            commit_index_c1 = if true { commit_index_c0 } else { calculate_new_commit_index(indices_c1, self.core.commit_index, self.core.current_term) };/
