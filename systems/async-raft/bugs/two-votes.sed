# A node votes again in a term in which it has voted for another.
# file: src/core/vote.rs
s/^            Some\(candidate_id\) if candidate_id == &msg\.candidate_id => Ok\(VoteResponse \{$/            Some(_) => Ok(VoteResponse {/
